import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MadeCertificate } from './make-certificate.ts';

/** Writes a certificate and its private key to files in a directory, as an operator does. */
export async function writePair(
  dir: string,
  { cert, key }: Pick<MadeCertificate, 'cert' | 'key'>,
): Promise<{ 'cert-file': string; 'key-file': string }> {
  await mkdir(dir, { recursive: true });
  const files = { 'cert-file': join(dir, 'cert.pem'), 'key-file': join(dir, 'key.pem') };
  await writeFile(files['cert-file'], cert);
  await writeFile(files['key-file'], key, { mode: 0o600 });
  return files;
}
