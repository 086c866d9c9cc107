import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../../shared/errors.ts';
import type { UpgradeFacts } from '../../../shared/schemas/upgrade.ts';

type Certificate = NonNullable<UpgradeFacts['certificates']>[number];

/** Reads the names of a certificate in PEM or DER; the first one of a chain, which is the one that is shown to others. */
export async function readCertificate(file: string): Promise<Certificate> {
  try {
    const certificate = new X509Certificate(await readFile(file));
    return {
      file,
      common_name: commonName(certificate),
      names: alternativeNames(certificate.subjectAltName ?? ''),
      problem: null,
    };
  } catch (error) {
    return { file, common_name: null, names: [], problem: errorMessage(error) };
  }
}

function commonName(certificate: X509Certificate): string | null {
  const name: unknown = certificate.toLegacyObject().subject.CN;
  // There may be several of them, of which the last is the one that counted.
  const last: unknown = Array.isArray(name) ? name.at(-1) : name;
  return typeof last === 'string' ? last : null;
}

/** `DNS:a, IP Address:10.0.0.1`; what holds a comma or a quote stands there as a JSON string. */
const ALTERNATIVE_NAME = /(?:^|, )[^:,]+:("(?:[^"\\]|\\.)*"|[^,]*)/g;

function alternativeNames(text: string): string[] {
  return [...text.matchAll(ALTERNATIVE_NAME)].map(([, name = '']) =>
    name.startsWith('"') ? String(JSON.parse(name)) : name,
  );
}
