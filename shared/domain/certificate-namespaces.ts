import type { CertificateRule } from '../schemas/certificate-rule.ts';

/** The issuers and the subject of a certificate, as far as rules look at them. */
export interface CertificateOrigin {
  /** SHA-256 of the authorities in its chain, as `AB:CD:...`. */
  readonly authorities: readonly string[];
  /** `O` of its subject. */
  readonly organizations: readonly string[];
  /** `OU` of its subject. */
  readonly units: readonly string[];
}

/**
 * Returns the namespaces that a certificate is good in: those of each rule of `certificate-namespaces` that it meets.
 *
 * @returns undefined: there are no rules, and it is good in all of them
 */
export function certificateNamespaces(
  rules: readonly CertificateRule[],
  origin: CertificateOrigin,
): readonly string[] | undefined {
  if (rules.length === 0) return undefined;
  return [...new Set(rules.filter((rule) => isMet(rule, origin)).flatMap(({ namespaces }) => namespaces))];
}

/**
 * Whether a connection that was opened with a certificate goes on under other rules.
 *
 * @param before the namespaces that the certificate was good in; undefined: all of them
 */
export function isStillGoodIn(before: readonly string[] | undefined, now: readonly string[] | undefined): boolean {
  if (now === undefined) return true;
  return before?.every((namespace) => now.includes(namespace)) ?? false;
}

function isMet(
  { authority, organization, 'organizational-unit': unit }: CertificateRule,
  { authorities, organizations, units }: CertificateOrigin,
): boolean {
  if (authority !== undefined && !authorities.some((issuer) => bare(issuer) === bare(authority))) return false;
  if (organization !== undefined && !organizations.includes(organization)) return false;
  return unit === undefined || units.includes(unit);
}

const bare = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();
