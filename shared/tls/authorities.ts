import { readTlsFile } from './read-file.ts';

/** Certificates of authorities, as PEM. */
export interface Authorities {
  readonly pem: string;
  /** SHA-256 of each of them. */
  readonly fingerprints: readonly string[];
}

/** @throws MonError `invalid` */
export function readAuthorities(file: string, setting: string): Authorities {
  return readTlsFile(file, setting, (text) => {
    const certificates = pemCertificates(text);
    if (certificates.length === 0) {
      throw new Error('it holds no certificate: write the certificates of the authorities there, as PEM');
    }
    // A console that is told of no authorities does not wait for cryptography to load.
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    return {
      pem: certificates.join('\n'),
      fingerprints: certificates.map((pem) => new X509Certificate(pem).fingerprint256),
    };
  });
}

/** Texts between them, such as names, are left out. */
export function pemCertificates(text: string): string[] {
  return (
    text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? []
  );
}
