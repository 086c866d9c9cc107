import type { CertificateRule } from '../schemas/certificate-rule.ts';

/** The issuers and subject names of a client certificate, which the rules in `certificate-namespaces` evaluate. */
export interface CertificateOrigin {
  /** SHA-256 fingerprints of the certificate authorities in the chain of the certificate, as `AB:CD:...`. */
  readonly authorities: readonly string[];
  /** Organizations (`O`) in the subject. */
  readonly organizations: readonly string[];
  /** Organizational units (`OU`) in the subject. */
  readonly units: readonly string[];
}

/**
 * Returns the namespaces of all `certificate-namespaces` rules that a certificate meets.
 *
 * @returns undefined if there are no rules, so that the certificate is valid in all namespaces
 */
export function certificateNamespaces(
  rules: readonly CertificateRule[],
  origin: CertificateOrigin,
): readonly string[] | undefined {
  if (rules.length === 0) return undefined;
  return [...new Set(rules.filter((rule) => isMet(rule, origin)).flatMap(({ namespaces }) => namespaces))];
}

/**
 * Whether a connection can stay open after the `certificate-namespaces` rules changed. All namespaces in which its
 * certificate was valid must still be allowed.
 *
 * @param before namespaces in which the certificate was valid; undefined if it was valid in all
 * @param now namespaces in which it is valid now; undefined if it is valid in all
 */
export function isStillValidIn(before: readonly string[] | undefined, now: readonly string[] | undefined): boolean {
  if (now === undefined) return true;
  return before?.every((namespace) => now.includes(namespace)) ?? false;
}

function isMet(
  { authority, organization, 'organizational-unit': unit }: CertificateRule,
  { authorities, organizations, units }: CertificateOrigin,
): boolean {
  if (
    authority !== undefined &&
    !authorities.some((issuer) => plainFingerprint(issuer) === plainFingerprint(authority))
  )
    return false;
  if (organization !== undefined && !organizations.includes(organization)) return false;
  return unit === undefined || units.includes(unit);
}

const plainFingerprint = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();
