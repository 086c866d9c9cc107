import { spawn } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSpool, type Spool, type SpoolLimits, type SpoolOptions } from '../../../daemon/agent/spool.ts';
import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import { builtProgram } from '../../support/built-programs.ts';
import { canDisksFail, FailingDisk, type Fault } from '../../support/failing-disk.ts';
import { modeOf, underUmask } from '../../support/file-modes.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const EVERYTHING: SpoolLimits = { results: 1_000_000, characters: 1_000_000_000 };

const aResult = (output: string): SubmittedResult => ({ name: 'disk', output, status: 0 });

async function open(dir: string, options?: SpoolOptions): Promise<Spool> {
  const spool = await openSpool(dir, options);
  onTestFinished(() => spool[Symbol.asyncDispose]());
  return spool;
}

/** Returns the outputs of all results in the spool, in order. */
async function textsIn(spool: Spool): Promise<unknown[]> {
  return (await spool.read(0, EVERYTHING)).map(({ text }) => (JSON.parse(text) as SubmittedResult).output);
}

async function idsIn(spool: Spool): Promise<number[]> {
  return (await spool.read(0, EVERYTHING)).map(({ id }) => id);
}

describe('a spool', () => {
  test('the spool directory is private whatever the umask is', async () => {
    const stateDir = join(await tempDir(), 'state');
    await underUmask(0, () => open(stateDir));
    expect([await modeOf(stateDir), await modeOf(join(stateDir, 'spool'))]).toEqual(['700', '700']);
  });

  test('the spool assigns consecutive ids to concurrent appends', async () => {
    const spool = await open(await tempDir());
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((output) => spool.append(aResult(output))));
    expect(ids).toEqual([1, 2, 3, 4]);
    expect(spool.lastId).toBe(4);
    expect(await spool.read(0, EVERYTHING)).toEqual(
      ['a', 'b', 'c', 'd'].map((output, index) => ({ id: index + 1, text: JSON.stringify(aResult(output)) })),
    );
  });

  test('reading from any id of the spool returns at least one result, limited by number and characters', async () => {
    const spool = await open(await tempDir());
    for (let number = 1; number <= 12; number += 1) await spool.append(aResult('x'.repeat(100)));
    const ids = async (afterId: number, limits: SpoolLimits): Promise<number[]> =>
      (await spool.read(afterId, limits)).map(({ id }) => id);
    expect(await ids(8, EVERYTHING)).toEqual([9, 10, 11, 12]);
    expect(await ids(8, { ...EVERYTHING, results: 2 })).toEqual([9, 10]);
    expect(await ids(8, { ...EVERYTHING, characters: 300 })).toEqual([9, 10]);
    expect(await ids(8, { ...EVERYTHING, characters: 1 })).toEqual([9]);
    expect(await ids(12, EVERYTHING)).toEqual([]);
  });

  test('an acknowledgment deletes exactly the acknowledged results from the spool', async () => {
    const spool = await open(await tempDir());
    for (const output of ['a', 'b', 'c', 'd']) await spool.append(aResult(output));
    await spool.acknowledge(2);
    expect(await idsIn(spool)).toEqual([3, 4]);
    await spool.acknowledge(1);
    expect(await idsIn(spool)).toEqual([3, 4]);
    await spool.acknowledge(99);
    expect(await idsIn(spool)).toEqual([]);
    expect(await spool.append(aResult('e'))).toBe(5);
    expect(spool.size).toBe(1);
  });

  test('a restarted spool keeps its name and its results and uses no id twice', async () => {
    const dir = await tempDir();
    const first = await openSpool(dir);
    for (const output of ['a', 'b', 'c']) await first.append(aResult(output));
    await first.acknowledge(1);
    await first[Symbol.asyncDispose]();

    const second = await openSpool(dir);
    expect(second.name).toBe(first.name);
    expect(await idsIn(second)).toEqual([2, 3]);
    expect(second.size).toBe(2);
    await second.acknowledge(3);
    await second[Symbol.asyncDispose]();

    const third = await open(dir);
    expect(third.lastId).toBe(3);
    expect(await third.append(aResult('d'))).toBe(4);
  });

  test('a spool has a random name, and a rename gives it another random name', async () => {
    const dir = await tempDir();
    const spool = await openSpool(dir);
    const { name } = spool;
    expect((await open(await tempDir())).name).not.toBe(name);
    await spool.append(aResult('a'));
    await spool.rename(0);
    const renamed = spool.name;
    expect(renamed).not.toBe(name);
    await spool[Symbol.asyncDispose]();
    const again = await open(dir);
    expect(again.name).toBe(renamed);
    expect(await idsIn(again)).toEqual([1]);
  });
});

describe('a full spool', () => {
  test('a full spool drops its oldest results and counts each dropped result once', async () => {
    const spool = await open(await tempDir(), { limits: { ...EVERYTHING, results: 3 } });
    for (let number = 1; number <= 5; number += 1) await spool.append(aResult('x'));
    expect(await idsIn(spool)).toEqual([3, 4, 5]);
    expect(spool.takeDropped()).toBe(2);
    expect(spool.takeDropped()).toBe(0);
  });

  test('a full spool keeps the newest results when more results arrive at once than fit', async () => {
    const spool = await open(await tempDir(), { limits: { ...EVERYTHING, results: 3 } });
    await spool.append(aResult('x'));
    const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((output) => spool.append(aResult(output))));
    expect(ids).toEqual([2, 3, 4, 5, 6]);
    expect(await idsIn(spool)).toEqual([4, 5, 6]);
    expect(spool.takeDropped()).toBe(3);
  });

  test('a full spool drops as many old results as a large result needs, but always keeps the newest', async () => {
    const spool = await open(await tempDir(), { limits: { ...EVERYTHING, characters: 1000 } });
    for (let number = 1; number <= 5; number += 1) await spool.append(aResult('x'.repeat(100)));
    await spool.append(aResult('x'.repeat(600)));
    expect(await idsIn(spool)).toEqual([4, 5, 6]);
    await spool.append(aResult('x'.repeat(5000)));
    expect(await idsIn(spool)).toEqual([7]);
  });

  test('the size limits of a spool also apply to results from before a restart', async () => {
    const dir = await tempDir();
    const first = await openSpool(dir, { limits: { ...EVERYTHING, results: 3 } });
    for (let number = 1; number <= 5; number += 1) await first.append(aResult('x'));
    await first[Symbol.asyncDispose]();
    const second = await open(dir, { limits: { ...EVERYTHING, results: 3 } });
    await second.append(aResult('y'));
    expect(await idsIn(second)).toEqual([4, 5, 6]);
  });
});

test('a spool returns the same results as a list in memory, whatever is appended, acknowledged or restarted', async () => {
  type Command =
    | { readonly kind: 'append'; readonly lengths: readonly number[] }
    | { readonly kind: 'acknowledge'; readonly id: number }
    | { readonly kind: 'restart' };
  const command: fc.Arbitrary<Command> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('append'),
        lengths: fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 12 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('acknowledge'), id: fc.integer({ min: 0, max: 40 }) }) },
    { weight: 1, arbitrary: fc.constant<Command>({ kind: 'restart' }) },
  );
  const limits = { results: 8, characters: 1000 };
  const dir = await tempDir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
      run += 1;
      const own = join(dir, String(run));
      let spool = await openSpool(own, { limits });
      let model: { id: number; text: string }[] = [];
      let lastId = 0;
      const ids: [given: number, expected: number][] = [];
      const modelSize = (): number => model.reduce((sum, { text }) => sum + text.length, 0);
      for (const step of commands) {
        if (step.kind === 'append') {
          const results = step.lengths.map((length) => aResult('x'.repeat(length)));
          const given = await Promise.all(results.map((result) => spool.append(result)));
          for (const [index, result] of results.entries()) {
            lastId += 1;
            ids.push([given[index] ?? 0, lastId]);
            model.push({ id: lastId, text: JSON.stringify(result) });
            while (model.length > 1 && (model.length > limits.results || modelSize() > limits.characters))
              model.shift();
          }
        } else if (step.kind === 'acknowledge') {
          await spool.acknowledge(step.id);
          model = model.filter(({ id }) => id > step.id);
        } else {
          await spool[Symbol.asyncDispose]();
          spool = await openSpool(own, { limits });
        }
      }
      expect(await spool.read(0, EVERYTHING)).toEqual(model);
      expect(spool.size).toBe(model.length);
      expect(ids.map(([given]) => given)).toEqual(ids.map(([, expected]) => expected));
      await spool[Symbol.asyncDispose]();
    }),
    { numRuns: propertyRuns(25) },
  );
});

test('appended results survive a kill at any moment, and no id is used twice', async () => {
  const dir = await tempDir();
  let lastPrinted = 0;
  for (const lines of [1, 40, 7, 120]) {
    const writer = spawn(process.execPath, [builtProgram('spool-writer'), dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let seen = 0;
    for await (const line of createInterface(writer.stdout)) {
      expect(Number(line)).toBe(lastPrinted + 1);
      lastPrinted = Number(line);
      seen += 1;
      if (seen === lines) writer.kill('SIGKILL');
    }
    const spool = await openSpool(dir);
    // The last append may have been interrupted after it was durable and before it was printed.
    expect([lastPrinted, lastPrinted + 1]).toContain(spool.lastId);
    lastPrinted = spool.lastId;
    const results = await spool.read(0, EVERYTHING);
    expect(results).toEqual(
      Array.from({ length: lastPrinted }, (_, index) => ({
        id: index + 1,
        text: JSON.stringify(aResult(`after ${String(index)}`)),
      })),
    );
    await spool[Symbol.asyncDispose]();
  }
});

/** Empty without a C compiler, which the failing disk needs: the tests are then skipped. */
const disks = (await canDisksFail()) ? [FailingDisk] : [];

describe.each(disks)('a spool whose disk fails', (Disk) => {
  test.each<Fault>([
    { calls: ['write'], error: 'ENOSPC', share: 0.9, times: 1 },
    { calls: ['sync'], error: 'EIO', times: 1 },
  ])('results that are appended after a failed $calls survive a kill, and each has its own id', async (fault) => {
    const dir = await tempDir();
    const disk = await Disk.under(join(dir, 'spool'));
    const writer = spawn(process.execPath, [builtProgram('spool-writer'), dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...disk.env },
    });
    const ids: number[] = [];
    for await (const line of createInterface(writer.stdout)) {
      ids.push(Number(line));
      if (ids.length === 5) disk.fail(fault);
      if (ids.length === 50) writer.kill('SIGKILL');
    }
    expect(await disk.failures()).toBe(1);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    const spool = await open(dir);
    expect(await idsIn(spool)).toEqual(expect.arrayContaining(ids));
  });
});

describe('an unusable spool', () => {
  test('opening a spool that another agent uses fails with a remedy', async () => {
    const dir = await tempDir();
    await open(dir);
    await expect(openSpool(dir)).rejects.toMatchObject({
      code: 'conflict',
      message: `another agent is using ${dir}/spool: stop that agent, or start this agent with another --state-dir`,
    });
  });

  test('opening a spool whose path is a file fails with an error that names the directory', async () => {
    const file = join(await tempDir(), 'state');
    await writeFile(file, '');
    await expect(openSpool(file)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(`^cannot use the spool ${file}/spool: .*; check that the directory is writable`),
    });
  });

  test('an agent with a damaged spool keeps results in memory and names a remedy, after which the spool works', async () => {
    const dir = await tempDir();
    const spool = await openSpool(dir);
    await spool.append(aResult('a'));
    await spool[Symbol.asyncDispose]();
    await writeFile(join(dir, 'spool', 'CURRENT'), 'no-manifest');
    const damaged = await open(dir);
    await damaged.append(aResult('b'));
    expect(damaged.trouble).toEqual({
      writable: false,
      reason: expect.stringMatching(
        `^the spool ${dir}/spool is damaged: .*; move the directory away to start with an empty spool`,
      ),
      unsaved: 1,
      dropped: 0,
    });
    expect(await textsIn(damaged)).toEqual(['b']);
    await rename(join(dir, 'spool'), join(dir, 'damaged'));
    await vi.waitFor(() => expect(damaged.trouble).toBeUndefined());
    expect(await textsIn(damaged)).toEqual(['b']);
  });

  test('appending a result to a closed spool fails, and no result is counted as dropped', async () => {
    const spool = await openSpool(await tempDir());
    await spool[Symbol.asyncDispose]();
    await expect(spool.append(aResult('a'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(spool.lastId).toBe(0);
    expect(spool.size).toBe(0);
  });
});
