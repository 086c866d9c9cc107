import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { warnOfReaders } from '../../../daemon/private-files/warn-of-readers.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { tempDir } from '../../support/temp-dir.ts';

const STATE = 'other users can read the state directory: run the command in "fix"';
const LOG = 'all users can read the log file: run the command in "fix"';

test.each<{ name: string; state: number; log: number; warned: string[] }>([
  { name: 'no other user can read them', state: 0o700, log: 0o600, warned: [] },
  { name: 'a group can read the log', state: 0o700, log: 0o640, warned: [] },
  { name: 'a group can read the state', state: 0o750, log: 0o600, warned: [STATE] },
  { name: 'a group can only traverse the directory', state: 0o710, log: 0o600, warned: [STATE] },
  { name: 'everybody can read both', state: 0o755, log: 0o644, warned: [STATE, LOG] },
])(
  'the start warns about state and log files that other users can read: $name',
  async ({ state, log: logMode, warned }) => {
    const dir = await tempDir();
    const stateDir = join(dir, 'state');
    const logFile = join(dir, 'backend.log');
    await mkdir(stateDir);
    await writeFile(logFile, '');
    await chmod(stateDir, state);
    await chmod(logFile, logMode);
    const log = new RecordedLog();
    await warnOfReaders({ stateDir, logFile }, log);
    expect(log.messages('warn')).toEqual(warned);
  },
);

test('the command in the warning about readable files can be pasted into a shell', async () => {
  const stateDir = join(await tempDir(), "it's here");
  await mkdir(stateDir);
  await chmod(stateDir, 0o755);
  const log = new RecordedLog();
  await warnOfReaders({ stateDir, logFile: undefined }, log);
  expect(log.records[0]?.fields).toEqual({
    path: stateDir,
    fix: `chmod -R go-rwx '${stateDir.replace("'", String.raw`'\''`)}'`,
  });
});

test.each(['/dev/null', '/nowhere/at/all'])(
  'the start does not warn about a log that is not a regular file: %s',
  async (logFile) => {
    const stateDir = await tempDir();
    const log = new RecordedLog();
    await warnOfReaders({ stateDir, logFile }, log);
    expect(log.records).toEqual([]);
  },
);
