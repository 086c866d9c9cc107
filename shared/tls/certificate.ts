import type { X509Certificate } from 'node:crypto';

export function commonName(certificate: X509Certificate): string | null {
  const name: unknown = certificate.toLegacyObject().subject.CN;
  // If a certificate has several CommonNames, the last one is effective.
  const last: unknown = Array.isArray(name) ? name.at(-1) : name;
  return typeof last === 'string' ? last : null;
}

/**
 * Matches a Subject Alternative Name such as `DNS:a` or `IP Address:10.0.0.1`. Node.js writes names with a comma or a
 * quote as JSON strings.
 */
const ALTERNATIVE_NAME = /(?:^|, )([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

/**
 * Returns the Subject Alternative Names of a certificate, without their type.
 *
 * @param kind the type of the names to return; undefined for names of all types
 */
export function alternativeNames({ subjectAltName = '' }: X509Certificate, kind?: 'DNS'): string[] {
  return [...subjectAltName.matchAll(ALTERNATIVE_NAME)]
    .filter(([, nameType]) => kind === undefined || nameType === kind)
    .map(([, , name = '']) => (name.startsWith('"') ? String(JSON.parse(name)) : name));
}
