/** @module-tag slow */
import { execFile, spawn } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { builtProgram } from '../../../support/built-programs.ts';
import { canDisksFail, FailingDisk, type Fault } from '../../../support/failing-disk.ts';
import { startDaemon, type DaemonProcess } from '../../../support/start-daemon.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const STARVED_WRITER = builtProgram('starved-writer');
const WRITER = builtProgram('store-writer');
const OPENER = builtProgram('store-opener');
const run = promisify(execFile);

/** Returns the lines of an output that begin with this word, without the word. */
const linesAfter = (output: string, word: string): string[] =>
  output.split('\n').flatMap((line) => (line.startsWith(`${word} `) ? line.slice(word.length + 1) : []));

async function writesIn(dir: string): Promise<string[]> {
  const store = await openLevelStore(dir);
  const numbers: string[] = [];
  for await (const [[, number]] of store.scan(['write'])) numbers.push(String(number));
  await store.close();
  return numbers;
}

test('writes are rejected while no file descriptor is free, and are accepted again afterwards', async () => {
  const dir = await tempDir();
  const { stdout } = await run('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, STARVED_WRITER, dir]);
  const acknowledged = linesAfter(stdout, 'acknowledged');
  expect(linesAfter(stdout, 'refused')).not.toEqual([]);
  expect(linesAfter(stdout, 'read')).toEqual(acknowledged);
  expect(await writesIn(dir)).toEqual(acknowledged);
});

const silence = async ({ url }: DaemonProcess, subscription: string): Promise<readonly [number, string]> => {
  const answer = await fetch(`${url}/silenced`, { method: 'POST', body: JSON.stringify({ subscription }) });
  return [answer.status, await answer.text()];
};
const silenced = async ({ url }: DaemonProcess): Promise<string[]> => {
  const entries = (await (await fetch(`${url}/silenced`)).json()) as readonly { readonly subscription: string }[];
  return entries.map(({ subscription }) => subscription);
};

/**
 * Empty without a C compiler, which the failing disk needs. Then only the test above and the test of limited files in
 * crash.test.ts remain.
 */
const disks = (await canDisksFail()) ? [FailingDisk] : [];

describe.each(disks)('a store whose disk fails', (Disk) => {
  test.each<Fault>([
    { calls: ['sync'], error: 'EIO' },
    { calls: ['write'], error: 'ENOSPC', share: 0.9 },
    { calls: ['write', 'sync', 'open', 'truncate', 'name'], error: 'EROFS' },
  ])(
    'while $calls fail with $error reads work and changes are rejected, and changes work afterwards',
    async (fault) => {
      const dir = await tempDir();
      const disk = await Disk.under(dir);
      await using daemon = await startDaemon({ stateDir: dir, env: disk.env });
      await fetch(`${daemon.url}/results`, {
        method: 'POST',
        body: '{"source":"web-1","name":"disk","output":"full"}',
      });
      expect(await silence(daemon, 'before')).toEqual([201, '']);
      disk.fail(fault);
      const refused = silence(daemon, 'refused');
      // The fault ends one second after the first failed call, however late that call is.
      await expect.poll(() => disk.failures()).toBeGreaterThan(0);
      setTimeout(() => disk.mend(), 1000);
      expect(await refused).toMatchObject([503, expect.stringContaining('error')]);
      expect(await silenced(daemon)).toEqual(['before']);
      expect((await fetch(`${daemon.url}/results/web-1/disk`)).status).toBe(200);
      await expect.poll(() => fetch(`${daemon.url}/health`).then(({ status }) => status)).toBe(204);
      expect(await silence(daemon, 'after')).toEqual([201, '']);
      expect(await silenced(daemon)).toEqual(['after', 'before']);
      await daemon.end('SIGKILL');
      await disk.cutPower();
      await using again = await startDaemon({ stateDir: dir });
      expect(await silenced(again)).toEqual(['after', 'before']);
    },
  );

  test.each([
    { ending: 'a kill', hasPower: true },
    { ending: 'a power cut', hasPower: false },
  ])('$ending right after a rejected write does not bring the write back', async ({ hasPower }) => {
    const dir = await tempDir();
    const disk = await Disk.under(dir);
    await using daemon = await startDaemon({ stateDir: dir, env: disk.env });
    await silence(daemon, 'before');
    // The record is already in the log when its sync fails. The log could be truncated, but the store cannot be opened
    // again.
    disk.fail({ calls: ['sync'], error: 'EIO', times: 1 }, { calls: ['open'], error: 'EIO' });
    const answer = await silence(daemon, 'refused');
    await daemon.end('SIGKILL');
    expect(answer).toMatchObject([503, expect.stringContaining('try again later')]);
    if (!hasPower) await disk.cutPower(() => 0.999);
    await using again = await startDaemon({ stateDir: dir });
    expect(await silenced(again)).toEqual(['before']);
  });

  test('a failed write that cannot be undone is reported as uncertain, and is undone once the disk works', async () => {
    const dir = await tempDir();
    const disk = await Disk.under(dir);
    await using daemon = await startDaemon({ stateDir: dir, env: disk.env });
    await silence(daemon, 'before');
    disk.fail({ calls: ['sync', 'truncate'], error: 'EIO' });
    expect(await silence(daemon, 'perhaps')).toMatchObject([503, expect.stringContaining('before you retry')]);
    expect(await silenced(daemon)).toEqual(['before']);
    expect(await silence(daemon, 'refused')).toMatchObject([503, expect.stringContaining('try again later')]);
    disk.mend();
    await expect.poll(() => silence(daemon, 'after')).toEqual([201, '']);
    await daemon.end('SIGKILL');
    await using again = await startDaemon({ stateDir: dir });
    expect(await silenced(again)).toEqual(['after', 'before']);
  });

  test('acknowledged writes survive a power cut', async () => {
    const dir = await tempDir();
    const disk = await Disk.under(dir);
    await using daemon = await startDaemon({ stateDir: dir, env: disk.env });
    for (const name of ['a', 'b', 'c']) expect(await silence(daemon, name)).toEqual([201, '']);
    await daemon.end('SIGKILL');
    await disk.cutPower();
    await using again = await startDaemon({ stateDir: dir });
    expect(await silenced(again)).toEqual(['a', 'b', 'c']);
  });

  test.each<Pick<Fault, 'calls' | 'error'>>([
    { calls: ['open'], error: 'EMFILE' },
    { calls: ['read'], error: 'EIO' },
    { calls: ['write', 'sync', 'name'], error: 'ENOSPC' },
  ])('a store that could not be opened because of a failed $calls still contains every write', async (fault) => {
    const made = await tempDir();
    await run(process.execPath, [WRITER, made, '1', '0']);
    const store = await openLevelStore(made);
    const lease = await store.acquire('main', 30_000);
    await store.write(lease, [{ type: 'put', key: ['write', 1], value: 'in the log' }], []);
    await store.close();
    const dir = await tempDir();
    const disk = await Disk.under(dir);
    const opener = spawn(process.execPath, [OPENER, dir], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...disk.env },
    });
    onTestFinished(() => void opener.kill());
    const answers = createInterface({ input: opener.stdout })[Symbol.asyncIterator]();
    const answerOf = async (): Promise<unknown> => {
      opener.stdin.write('open\n');
      return (await answers.next()).value;
    };
    let failures = 0;
    for (let skip = 0; skip === failures; skip++) {
      await rm(dir, { recursive: true });
      await cp(made, dir, { recursive: true });
      disk.fail({ ...fault, skip, times: 1 });
      // The open may succeed or be rejected, but must not write anything.
      expect(await answerOf()).toMatch(/^(?:opened|refused)$/);
      disk.mend();
      failures = await disk.failures();
      expect(await writesIn(dir), `after the failure of call ${String(skip)}`).toEqual(['1']);
    }
    expect(failures).toBeGreaterThan(2);
  });
});
