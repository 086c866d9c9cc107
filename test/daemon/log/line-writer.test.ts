import { closeSync, constants, mkdirSync, openSync, readFileSync, readSync, renameSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { LineWriter } from '../../../daemon/log/line-writer.ts';
import { modeOf, underUmask } from '../../support/file-modes.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('log lines are buffered until the log is flushed', async () => {
  const file = join(await tempDir(), 'log');
  using writer = new LineWriter(file);
  writer.write('one\n');
  writer.write('zwei: ü\n');
  expect(readFileSync(file, 'utf8')).toBe('');
  writer.flush();
  expect(readFileSync(file, 'utf8')).toBe('one\nzwei: ü\n');
});

test('log lines are written after a short delay, or at once when many are buffered', async () => {
  const file = join(await tempDir(), 'log');
  using writer = new LineWriter(file);
  writer.write('one\n');
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('one\n'));
  for (let count = 0; count < 20; count++) writer.write(`${'x'.repeat(1023)}\n`);
  expect(readFileSync(file).length).toBeGreaterThan(16_000);
});

test('a log writer appends to an existing file and writes its buffered lines when it closes', async () => {
  const file = join(await tempDir(), 'log');
  for (const line of ['one\n', 'two\n']) {
    using writer = new LineWriter(file);
    writer.write(line);
  }
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
});

test('after a rename and a reopen the next log lines go to a new file, and no line is lost', async () => {
  const file = join(await tempDir(), 'log');
  using writer = new LineWriter(file);
  writer.write('old\n');
  renameSync(file, `${file}.1`);
  writer.write('also old\n');
  writer.reopen();
  writer.write('new\n');
  writer.flush();
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('old\nalso old\n');
  expect(readFileSync(file, 'utf8')).toBe('new\n');
});

test('log files are private whatever the umask is, even after a rotation', async () => {
  const file = join(await tempDir(), 'log');
  await underUmask(0, async () => {
    using writer = new LineWriter(file);
    renameSync(file, `${file}.1`);
    writer.reopen();
  });
  expect([await modeOf(file), await modeOf(`${file}.1`)]).toEqual(['600', '600']);
});

test('a log writer that cannot open the new file continues with the old file', async () => {
  const dir = join(await tempDir(), 'logs');
  mkdirSync(dir);
  using writer = new LineWriter(join(dir, 'log'));
  rmSync(dir, { recursive: true });
  writer.reopen();
  expect(() => {
    writer.write('one\n');
    writer.flush();
  }).not.toThrow();
});

test('a log writer for a file that cannot be opened fails at once', async () => {
  const dir = await tempDir();
  expect(() => new LineWriter(dir)).toThrow(/EISDIR/);
});

test.runIf(process.platform === 'linux')('a log writer on a full disk drops lines without an error', () => {
  using writer = new LineWriter('/dev/full');
  writer.write('lost\n');
  expect(() => writer.flush()).not.toThrow();
});

test('a pipe that is full gets the buffered log lines later, and only whole lines are dropped', async () => {
  const pipe = join(await tempDir(), 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  using writer = new LineWriter(undefined, writing);
  const line = `${'ü'.repeat(500)}\n`;
  for (let count = 0; count < 4000; count++) writer.write(line);
  let received = Buffer.alloc(0);
  await vi.waitFor(() => {
    const chunk = Buffer.alloc(1024 * 1024);
    const size = readSync(reader, chunk);
    received = Buffer.concat([received, chunk.subarray(0, size)]);
    writer.flush();
    expect(received.length).toBeGreaterThan(512 * 1024);
    expect(received.at(-1)).toBe(10);
  });
  closeSync(reader);
  closeSync(writing);
  expect(new Set(received.toString().trimEnd().split('\n'))).toEqual(new Set([line.trimEnd()]));
});
