import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../../shared/errors.ts';
import { alternativeNames, commonName } from '../../../shared/tls/certificate.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';

type Certificate = NonNullable<UpgradeFacts['certificates']>[number];

/**
 * Reads the names of a certificate in PEM or DER. In a chain it reads the first certificate, which is presented
 * to peers.
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
