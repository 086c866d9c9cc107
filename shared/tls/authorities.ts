import { readTlsFile } from './read-file.ts';

/** Certificates of authorities, as PEM. */
export interface Authorities {
  readonly pem: string;
  /** SHA-256 fingerprints of the certificates. */
  readonly fingerprints: readonly string[];
}

/** @throws MonError `invalid` */
export function readAuthorities(file: string, setting: string): Authorities {
  return readTlsFile(file, setting, (text) => {
    const certificates = pemCertificates(text);
    if (certificates.length === 0) {
      throw new Error('the file contains no certificate: write the CA certificates to the file, as PEM');
    }
    // Loaded late, so that a console without configured authorities does not wait for cryptography to load.
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    return {
      pem: certificates.join('\n'),
      fingerprints: certificates.map((pem) => new X509Certificate(pem).fingerprint256),
    };
  });
}

/** Returns the certificates in a PEM text; other texts, such as names, are ignored. */
export function pemCertificates(text: string): string[] {
  return (
    text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? []
  );
}
