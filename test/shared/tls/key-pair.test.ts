import { X509Certificate } from 'node:crypto';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAuthorities } from '../../../shared/tls/authorities.ts';
import { readKeyPair, type KeyPair } from '../../../shared/tls/key-pair.ts';
import { encryptedKey, hoursFromNow, makeCertificate, type MadeCertificate } from '../../support/make-certificate.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { writePair } from '../../support/tls-files.ts';

const GOOD = makeCertificate('mon.example.org', { names: ['mon.example.org'], until: hoursFromNow(24 * 90) });
const OTHER = makeCertificate('other.example.org');

async function pairOf(
  made: Pick<MadeCertificate, 'cert' | 'key'>,
  spoil: (files: { 'cert-file': string; 'key-file': string }) => Promise<void> = () => Promise.resolve(),
): Promise<KeyPair> {
  const files = await writePair(await tempDir(), made);
  await spoil(files);
  return readKeyPair(files, { section: 'tls.', nowMs: Date.now(), isOfServer: true });
}

test('a valid certificate and key are accepted without a warning', async () => {
  const { fingerprint256: fingerprint } = new X509Certificate(GOOD.cert);
  expect(await pairOf(GOOD)).toEqual({ cert: GOOD.cert, key: GOOD.key, fingerprint, warnings: [] });
});

test.each([
  {
    name: 'a missing certificate',
    spoil: rmOf('cert-file'),
    says: /cert\.pem cannot be used as tls\.cert-file: there is no such file/,
  },
  {
    name: 'a missing key',
    spoil: rmOf('key-file'),
    says: /key\.pem cannot be used as tls\.key-file: there is no such file/,
  },
  {
    name: 'a certificate file without a certificate',
    made: { ...GOOD, cert: GOOD.key },
    says: /tls\.cert-file: the file contains no PEM certificate/,
  },
  {
    name: 'a key file without a key',
    made: { ...GOOD, key: GOOD.cert },
    says: /tls\.key-file: the file contains no PEM private key/,
  },
  {
    name: 'an encrypted key',
    made: { ...GOOD, key: encryptedKey(GOOD) },
    says: /the key is encrypted.*write the key without a passphrase, mode 0600/,
  },
  {
    name: 'the key of another certificate',
    made: { ...GOOD, key: OTHER.key },
    says: /key\.pem is not the private key of the certificate .*cert\.pem/,
  },
  {
    name: 'a key that others can read',
    spoil: modeOf('key-file', 0o640),
    says: /other users of this machine can access the file: run chmod 600 on the file/,
  },
])('a TLS key pair with $name is rejected', async ({ made = GOOD, spoil, says }) => {
  await expect(pairOf(made, spoil)).rejects.toThrow(says);
});

test.each([
  {
    name: 'has expired',
    made: makeCertificate('a', { names: ['a'], until: hoursFromNow(-1), from: hoursFromNow(-2) }),
    says: /has expired on \d{4}-/,
  },
  {
    name: 'is not valid yet',
    made: makeCertificate('a', { names: ['a'], from: hoursFromNow(1) }),
    says: /is not valid before/,
  },
  {
    name: 'expires soon',
    made: makeCertificate('a', { names: ['a'], until: hoursFromNow(49) }),
    says: /expires on .*, in 2 days: renew it/,
  },
  {
    name: 'does not have its CommonName among its alternative names',
    made: makeCertificate('mon.example.org', { names: ['b.example.org', '10.0.0.1'], until: hoursFromNow(9999) }),
    says: /cert\.pem will be rejected by clients: its CommonName mon\.example\.org is not among its Subject Alternative Names \(b\.example\.org, 10\.0\.0\.1\)/,
  },
])('a TLS certificate that $name is accepted with a warning', async ({ made, says }) => {
  expect((await pairOf(made)).warnings).toEqual([expect.stringMatching(says)]);
});

test('a CA file with several authorities is accepted, and an empty CA file is rejected', async () => {
  const file = join(await tempDir(), 'ca.pem');
  await writeFile(file, `# ours\n${GOOD.cert}\nand theirs\n${OTHER.cert}`);
  expect(readAuthorities(file, 'trusted-ca-file').fingerprints).toHaveLength(2);
  await writeFile(file, GOOD.key);
  expect(() => readAuthorities(file, 'trusted-ca-file')).toThrow(
    /ca\.pem cannot be used as trusted-ca-file: the file contains no certificate/,
  );
});

function rmOf(name: 'cert-file' | 'key-file') {
  return (files: Readonly<Record<typeof name, string>>): Promise<void> => rm(files[name]);
}

function modeOf(name: 'cert-file' | 'key-file', mode: number) {
  return (files: Readonly<Record<typeof name, string>>): Promise<void> => chmod(files[name], mode);
}
