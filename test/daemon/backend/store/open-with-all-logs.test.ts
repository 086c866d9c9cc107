import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { expect, test } from 'vitest';
import { scanLog } from '../../../../daemon/backend/store/inspect/log-scan.ts';
import { logNumbers } from '../../../../daemon/backend/store/log-files.ts';
import { oldestLiveLog } from '../../../../daemon/backend/store/manifest.ts';
import { wereRead } from '../../../../daemon/backend/store/open-with-all-logs.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const REPORT = `2026/01/01-00:00:00.000001 7f94 Recovering log #3
2026/01/01-00:00:00.000002 7f94 Recovering log #12
2026/01/01-00:00:00.000003 7f94 Delete type=0 #3
`;

test.each([
  { logs: [], report: '', isRead: true },
  { logs: [3, 12], report: REPORT, isRead: true },
  { logs: [3, 12, 14], report: REPORT, isRead: false },
  { logs: [1], report: REPORT, isRead: false },
  { logs: [3], report: '', isRead: false },
  { logs: [3], report: `${REPORT}x Ignoring error IO error: /s/000014.log: Too many open files\n`, isRead: false },
  {
    logs: [3],
    report: `${REPORT}x (ignoring error) /s/000003.log: dropping 32768 bytes; IO error: /s/000003.log: Input/output error\n`,
    isRead: false,
  },
  // A damaged log counts as read, because a retry does not help.
  {
    logs: [3],
    report: `${REPORT}x (ignoring error) /s/000003.log: dropping 99 bytes; Corruption: checksum mismatch\n`,
    isRead: true,
  },
])(
  'the backend recognizes from the log of LevelDB whether it read the logs $logs: $isRead',
  ({ logs, report, isRead }) => {
    expect(wereRead(report, logs)).toBe(isRead);
  },
);

test('the oldest log that a database needs is found from its manifest, which names no deleted log', async () => {
  const dir = await tempDir();
  expect(await oldestLiveLog(dir)).toBeUndefined();
  const database = new Level(dir, { writeBufferSize: 64 * 1024 });
  await database.open();
  for (let count = 0; count < 2000; count++)
    await database.put(`key ${String(count)}`, String(Math.random()).repeat(20));
  await database.close();
  // LevelDB deletes logs that it no longer needs, so the oldest file is the oldest log that it needs.
  const [oldest] = await logNumbers(dir);
  expect(oldest).toBe(await oldestLiveLog(dir));
  const current = await readFile(join(dir, 'CURRENT'), 'utf8');
  expect(scanLog(await readFile(join(dir, current.trim()))).records.length).toBeGreaterThan(5);
});

/** Returns the last character of the payload of each record. */
const lastCharacters = (log: Buffer): string[] =>
  scanLog(log).records.map(({ payload }) => String(payload.subarray(-1)));

test('a log record of many blocks is read as one record, and an incomplete record is ignored', async () => {
  const dir = await tempDir();
  const database = new Level(dir);
  await database.open();
  await database.put('small', 'x');
  await database.put('large', 'y'.repeat(100_000));
  await database.put('last', 'z');
  const name = (await readdir(dir)).find((file) => file.endsWith('.log')) ?? '';
  const log = await readFile(join(dir, name));
  await database.close();
  expect(lastCharacters(log)).toEqual(['x', 'y', 'z']);
  expect(lastCharacters(log.subarray(0, -1))).toEqual(['x', 'y']);
  expect(lastCharacters(log.subarray(0, 90_000))).toEqual(['x']);
});
