import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKeyFile } from '../../../daemon/agent/agent-key.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function keyFile(text: string, mode = 0o600): Promise<string> {
  const file = join(await tempDir(), 'key');
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

test('mon-agent reads its API key from the only line of the key file', async () => {
  expect(await readKeyFile(await keyFile('mk_a_b\n'))).toBe('mk_a_b');
});

test.each<{ name: string; text: string; mode?: number; expectedMessage: string }>([
  {
    name: 'others may read',
    text: 'mk_a_b',
    mode: 0o640,
    expectedMessage: 'other users of this machine can access the file',
  },
  { name: 'is empty', text: '\n', expectedMessage: 'the file contains no valid key: write the key on one line' },
  {
    name: 'contains more than a key',
    text: 'mk_a_b\nmk_c_d\n',
    expectedMessage: 'the file contains no valid key: write the key on one line',
  },
  {
    name: 'is far too large',
    text: 'x'.repeat(5000),
    expectedMessage: 'the file is too large: it must contain only the key',
  },
])('a file with an API key that $name is rejected', async ({ text, mode, expectedMessage }) => {
  await expect(readKeyFile(await keyFile(text, mode))).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(expectedMessage),
  });
});

test('a missing file with an API key is rejected', async () => {
  await expect(readKeyFile(join(await tempDir(), 'none'))).rejects.toMatchObject({
    message: expect.stringContaining('ENOENT'),
  });
});
