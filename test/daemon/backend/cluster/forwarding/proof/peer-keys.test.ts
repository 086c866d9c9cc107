import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PeerKeys, readPeerKeyFile } from '../../../../../../daemon/backend/cluster/forwarding/proof/peer-keys.ts';
import { tempDir } from '../../../../../support/temp-dir.ts';

const FIRST = 'a'.repeat(43);
const SECOND = 'b'.repeat(43);

async function file(content: string, mode = 0o600): Promise<string> {
  const path = join(await tempDir(), 'peer.key');
  await writeFile(path, content, { mode });
  await chmod(path, mode);
  return path;
}

test('a peer key file contains one key per line and comments', async () => {
  expect(readPeerKeyFile(await file(`# of all backends\n\n${FIRST}\n ${SECOND} \n`))).toEqual({
    texts: [FIRST, SECOND],
  });
});

test.each([
  { name: 'is empty', content: '' },
  { name: 'contains a word that can be guessed', content: 'secret' },
  { name: 'contains a sentence', content: 'x '.repeat(40) },
  { name: 'contains five keys', content: `${FIRST}\n`.repeat(5) },
])('a peer key file that $name is rejected with the command that creates one', async ({ content }) => {
  const path = await file(content);
  expect(() => readPeerKeyFile(path)).toThrow(/cannot be used as peer-key-file: .*openssl rand -base64 32/);
});

test('a peer key file that is missing or that other users can read is rejected by name', async () => {
  const lost = join(await tempDir(), 'peer.key');
  expect(() => readPeerKeyFile(lost)).toThrow(`${lost} cannot be used as peer-key-file: there is no such file`);
  const open = await file(FIRST, 0o640);
  expect(() => readPeerKeyFile(open)).toThrow('chmod 600');
});

test('the signature of a peer key is valid only for the same key and the same store', () => {
  const keys = PeerKeys.ofFile({ texts: [FIRST] }, 'one');
  const signature = keys.sign('text');
  expect(keys.isSignedBy(keys.id, 'text', signature)).toBe(true);
  expect(keys.isSignedBy(keys.id, 'another text', signature)).toBe(false);
  expect(keys.isSignedBy(keys.id, 'text', signature.slice(1))).toBe(false);
  for (const others of [
    PeerKeys.ofFile({ texts: [SECOND] }, 'one'),
    PeerKeys.ofFile({ texts: [FIRST] }, 'another'),
    PeerKeys.ofStore(FIRST, 'another'),
  ]) {
    expect(others.has(keys.id)).toBe(false);
    expect(others.isSignedBy(others.id, 'text', signature)).toBe(false);
  }
});

test('backends accept each other at every step of a peer key rotation', () => {
  const [before, during, after] = [[FIRST], [FIRST, SECOND], [SECOND, FIRST]].map((texts) =>
    PeerKeys.ofFile({ texts }, 'one'),
  );
  for (const [one, other] of [
    [before, during],
    [during, after],
  ]) {
    expect(one && other?.isSignedBy(one.id, 'text', one.sign('text'))).toBe(true);
    expect(other && one?.isSignedBy(other.id, 'text', other.sign('text'))).toBe(true);
  }
});

test('an empty secret in the store does not serve as a peer key', () => {
  const keys = PeerKeys.ofStore('', 'one');
  expect(keys.isSignedBy(keys.id, 'text', keys.sign('text'))).toBe(false);
  expect(keys.has('store')).toBe(false);
});
