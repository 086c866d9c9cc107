import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { UnsavedResults } from '../../../daemon/agent/unsaved-results.ts';
import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import { canDisksFail, FailingDisk, type Fault } from '../../support/failing-disk.ts';
import { HostedSpool } from '../../support/hosted-spool.ts';
import { tempDir } from '../../support/temp-dir.ts';

const aResult = (output: string, name = 'disk'): SubmittedResult => ({ name, output, status: 0 });

const text = (name: string, output = 'x'): string => JSON.stringify(aResult(output, name));
const resultOfSource = (source: string): string => JSON.stringify({ ...aResult('x'), source });

const FULL: Fault = { calls: ['write'], error: 'ENOSPC' };
const BROKEN: Fault = { calls: ['write', 'sync', 'open', 'truncate', 'name'], error: 'EIO' };
const READ_ONLY: Fault = { calls: ['write', 'sync', 'open', 'truncate', 'name'], error: 'EROFS' };
const UNREADABLE: Fault = { calls: ['read', 'open', 'write'], error: 'EIO' };

/** Empty without a C compiler, which the failing disk needs: the tests are then skipped. */
const disks = (await canDisksFail()) ? [FailingDisk] : [];

interface Scene {
  readonly dir: string;
  readonly disk: FailingDisk;
  readonly spool: HostedSpool;
}

/** Returns a spool with two results on a working disk. */
async function aSpool(Disk: typeof FailingDisk, options: { unsavedCharacters?: number } = {}): Promise<Scene> {
  const dir = await tempDir();
  const disk = await Disk.under(join(dir, 'spool'));
  const spool = await HostedSpool.open(dir, { env: disk.env, ...options });
  await spool.append(aResult('a'), aResult('b'));
  return { dir, disk, spool };
}

async function untilSpoolWorks(spool: HostedSpool): Promise<void> {
  await vi.waitFor(async () => expect(await spool.refresh()).toBeUndefined());
}

describe.each(disks)('a spool whose disk fails', (Disk) => {
  test.each<{ name: string; fault: Fault }>([
    { name: 'full', fault: FULL },
    { name: 'broken', fault: BROKEN },
    { name: 'read-only', fault: READ_ONLY },
  ])('a spool whose disk is $name returns all results in order and writes them once the disk works', async (way) => {
    const { dir, disk, spool } = await aSpool(Disk);
    disk.fail(way.fault);
    const ids = await spool.append(aResult('c'), aResult('d'));
    expect(ids).toEqual(ids.toSorted((x, y) => x - y));
    expect(spool.trouble).toMatchObject({ unsaved: 2, dropped: 0, reason: expect.stringContaining(`${dir}/spool`) });
    expect(await spool.outputs()).toEqual(['a', 'b', 'c', 'd']);
    expect(await spool.read(1)).toEqual([
      { id: 2, output: 'b' },
      { id: ids[0], output: 'c' },
      { id: ids[1], output: 'd' },
    ]);
    disk.mend();
    await untilSpoolWorks(spool);
    expect(await spool.read()).toMatchObject([{ id: 1 }, { id: 2 }, { id: ids[0] }, { id: ids[1] }]);
    await spool.append(aResult('e'));
    await spool.kill();
    const later = await HostedSpool.open(dir);
    expect(later.name).toBe(spool.name);
    expect(await later.outputs()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('an acknowledged result that the disk cannot delete is never read again, even after a kill', async () => {
    const { dir, disk, spool } = await aSpool(Disk);
    disk.fail(FULL);
    const [unsavedId = 0] = await spool.append(aResult('c'), aResult('d'));
    await spool.acknowledge(1);
    expect(await spool.outputs()).toEqual(['b', 'c', 'd']);
    await spool.acknowledge(unsavedId);
    expect(await spool.outputs()).toEqual(['d']);
    expect(spool.size).toBe(1);
    await spool.kill();
    const later = await HostedSpool.open(dir);
    expect([later.name, later.size]).toEqual([spool.name, 0]);
    // The new id exceeds all earlier ones, because the backend may have committed more results than the agent knows.
    expect((await later.append(aResult('e')))[0]).toBeGreaterThan(spool.lastId);
  });

  test('a result that was acknowledged while the disk was full is deleted once the disk works', async () => {
    const { dir, disk, spool } = await aSpool(Disk);
    disk.fail(FULL);
    await spool.append(aResult('c'));
    await spool.acknowledge(2);
    disk.mend();
    await untilSpoolWorks(spool);
    expect(await spool.outputs()).toEqual(['c']);
    await spool.kill();
    expect(await (await HostedSpool.open(dir)).outputs()).toEqual(['c']);
  });

  test('a result whose write failed but reached the disk is returned only once', async () => {
    const { disk, spool } = await aSpool(Disk);
    disk.fail({ calls: ['sync'], error: 'EIO' });
    await spool.append(aResult('c'));
    disk.mend();
    await untilSpoolWorks(spool);
    expect(await spool.outputs()).toEqual(['a', 'b', 'c']);
  });

  test('a spool that lost an acknowledgment in a kill skips the results that the backend already has', async () => {
    const dir = await tempDir();
    // The whole directory is on the failing disk, so the acknowledgments file cannot be written either.
    const disk = await Disk.under(dir);
    const spool = await HostedSpool.open(dir, { env: disk.env });
    await spool.append(aResult('a'), aResult('b'));
    disk.fail(READ_ONLY);
    const [unsavedId = 0] = await spool.append(aResult('c'));
    await spool.acknowledge(unsavedId);
    await spool.kill();
    disk.mend();
    const later = await HostedSpool.open(dir);
    await later.append(aResult('d'));
    expect(await later.outputs()).toEqual(['a', 'b', 'd']);
    await later.rename(unsavedId);
    expect(await later.outputs()).toEqual(['d']);
  });

  test('a spool that is unreadable at the start returns the results in memory under a new name', async () => {
    const { dir, disk, spool } = await aSpool(Disk);
    await spool.append(aResult('old backup', 'backup'));
    await spool.kill();
    disk.fail(UNREADABLE);
    const started = await HostedSpool.open(dir, { env: disk.env });
    await started.append(aResult('newer'));
    expect(await started.outputs()).toEqual(['newer']);
    expect(started.name).not.toBe(spool.name);
    await started.acknowledge(started.lastId);
    await started.append(aResult('newest'));
    const { name } = started;
    disk.mend();
    await untilSpoolWorks(started);
    // Older results of the same check are not sent: they would overwrite the newer one that is already delivered.
    expect(await started.outputs()).toEqual(['old backup', 'newest']);
    expect([spool.name, name]).not.toContain(started.name);
    await started.kill();
    const later = await HostedSpool.open(dir);
    expect(later.name).toBe(started.name);
    expect(await later.outputs()).toEqual(['old backup', 'newest']);
  });

  test('a spool that becomes unreadable returns the results in memory, and those on disk once it can be read', async () => {
    const { disk, spool } = await aSpool(Disk);
    disk.fail(UNREADABLE);
    await spool.append(aResult('c', 'backup'));
    const before = await spool.outputs();
    // LevelDB may still return `a` and `b` from its memory, although the files cannot be read.
    expect([['a', 'b', 'c'], ['c']]).toContainEqual(before);
    disk.mend();
    await untilSpoolWorks(spool);
    expect(await spool.outputs()).toEqual(['a', 'b', 'c']);
  });

  test('the newest result of each check stays in memory beyond the budget, and dropped results are counted', async () => {
    const { disk, spool } = await aSpool(Disk, { unsavedCharacters: 400 });
    disk.fail(FULL);
    await spool.append(aResult('rare', 'backup'));
    for (let number = 0; number < 50; number++) await spool.append(aResult(String(number)));
    const outputs = await spool.outputs();
    expect(outputs.slice(0, 3)).toEqual(['a', 'b', 'rare']);
    expect(outputs.at(-1)).toBe('49');
    expect(spool.trouble).toMatchObject({ unsaved: outputs.length - 2, dropped: 51 - (outputs.length - 2) });
  });

  test('closing a spool writes the results in memory if the disk works again', async () => {
    const { dir, disk, spool } = await aSpool(Disk);
    disk.fail(FULL);
    await spool.append(aResult('c'));
    // After more than five failures the spool retries only every few seconds, so the close has to write the results.
    await vi.waitFor(async () => expect(await disk.failures()).toBeGreaterThan(5));
    disk.mend();
    await spool.close();
    expect(await (await HostedSpool.open(dir)).outputs()).toEqual(['a', 'b', 'c']);
  });
});

describe('results that are only in memory', () => {
  test('a result counts as safe once it is acknowledged or written, and not if it was dropped', async () => {
    const unsaved = new UnsavedResults(3 * text('a').length);
    for (const [index, name] of ['a', 'b', 'c'].entries()) unsaved.add(index + 1, text(name));
    const safe = [1, 2, 3, 9].map((id) => unsaved.safe(id));
    unsaved.add(4, text('d'));
    unsaved.acknowledge(2);
    unsaved.takeSaved();
    expect(await Promise.all(safe)).toEqual([false, true, true, true]);
    expect(unsaved.size).toBe(0);
  });

  test('results with the same check name and different sources belong to different checks', () => {
    const unsaved = new UnsavedResults(2.5 * resultOfSource('a').length);
    unsaved.add(1, resultOfSource('a'));
    unsaved.add(2, resultOfSource('b'));
    unsaved.add(3, resultOfSource('b'));
    expect([...unsaved.after(0)].map(({ id }) => id)).toEqual([1, 3]);
  });

  test('results keep their order and their check when their ids are renumbered', () => {
    const unsaved = new UnsavedResults(3.5 * text('a').length);
    for (const [index, name] of ['a', 'b', 'a'].entries()) unsaved.add(index + 1, text(name));
    unsaved.renumber(101);
    unsaved.add(104, text('c'));
    expect([...unsaved.after(0)].map(({ id }) => id)).toEqual([102, 103, 104]);
    unsaved.add(105, text('b'));
    expect([...unsaved.after(0)].map(({ id }) => id)).toEqual([103, 104, 105]);
  });
});
