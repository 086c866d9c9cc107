import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../../shared/errors.ts';
import { alternativeNames, commonName } from '../../../shared/tls/certificate.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';

type Certificate = NonNullable<UpgradeFacts['certificates']>[number];

/**
 * Reads the names in a certificate file in PEM or DER. Of a chain it reads the first certificate, which is the one that
 * peers verify. If the file cannot be read, `problem` is the reason.
 */
export async function readCertificate(file: string): Promise<Certificate> {
  try {
    const certificate = new X509Certificate(await readFile(file));
    return {
      file,
      common_name: commonName(certificate),
      names: alternativeNames(certificate),
      problem: null,
    };
  } catch (error) {
    return { file, common_name: null, names: [], problem: errorMessage(error) };
  }
}
