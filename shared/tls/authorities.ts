import { readTlsFile } from './read-file.ts';

/** The certificates of certificate authorities (CAs). */
export interface Authorities {
  readonly pem: string;
  /** SHA-256 fingerprints of the certificates, in the same order. */
  readonly fingerprints: readonly string[];
}

/**
 * Reads the CA certificates in a file.
 *
 * @param setting name of the setting with the path, for the error message
 * @throws MonError `invalid` if the file cannot be read or contains no valid certificate
 */
export function readAuthorities(file: string, setting: string): Authorities {
  return readTlsFile(file, setting, (text) => {
    const certificates = pemCertificates(text);
    if (certificates.length === 0) {
      throw new Error('the file contains no certificate: write the CA certificates to the file, as PEM');
    }
    // `node:crypto` is loaded only now, so that a console without configured authorities does not wait for it.
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    return {
      pem: certificates.join('\n'),
      fingerprints: certificates.map((pem) => new X509Certificate(pem).fingerprint256),
    };
  });
}

/** Returns the certificates in a PEM text. Other text, such as names between certificates, is ignored. */
export function pemCertificates(text: string): string[] {
  return (
    text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? []
  );
}
