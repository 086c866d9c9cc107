import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCertificate } from '../../../../tui/monctl/upgrade/certificates.ts';
import { CERTIFICATE, NAMED_CERTIFICATE } from '../../../support/certificates.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test.each([
  ['with alternative names', NAMED_CERTIFICATE, 'backend-a', ['backend-a', 'localhost', '127.0.0.1']],
  ['without alternative names', CERTIFICATE, 'localhost', []],
  [
    'from the first certificate of a chain',
    NAMED_CERTIFICATE + CERTIFICATE,
    'backend-a',
    ['backend-a', 'localhost', '127.0.0.1'],
  ],
])('upgrade check reads the names of a certificate %s', async (_name, pem, commonName, names) => {
  const file = join(await tempDir(), 'certificate.pem');
  await writeFile(file, pem);
  expect(await readCertificate(file)).toEqual({ file, common_name: commonName, names, problem: null });
});

test('upgrade check reports a certificate file that is invalid or does not exist, with the reason', async () => {
  const file = join(await tempDir(), 'certificate.pem');
  expect((await readCertificate(file)).problem).toContain('no such file');
  await writeFile(file, 'nothing');
  expect((await readCertificate(file)).problem).not.toBeNull();
});
