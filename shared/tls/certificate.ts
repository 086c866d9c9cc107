import type { X509Certificate } from 'node:crypto';

export function commonName(certificate: X509Certificate): string | null {
  const name: unknown = certificate.toLegacyObject().subject.CN;
  // There may be several of them, of which the last is the one that counted.
  const last: unknown = Array.isArray(name) ? name.at(-1) : name;
  return typeof last === 'string' ? last : null;
}

/** `DNS:a, IP Address:10.0.0.1`; what holds a comma or a quote stands there as a JSON string. */
const ALTERNATIVE_NAME = /(?:^|, )([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

/**
 * The Subject Alternative Names.
 *
 * @param kind only these; default: all of them
 */
export function alternativeNames({ subjectAltName = '' }: X509Certificate, kind?: 'DNS'): string[] {
  return [...subjectAltName.matchAll(ALTERNATIVE_NAME)]
    .filter(([, found]) => kind === undefined || found === kind)
    .map(([, , name = '']) => (name.startsWith('"') ? String(JSON.parse(name)) : name));
}
