import { describe, expect, test } from 'vitest';
import { pendingResolutionsOf } from '../../../../daemon/backend/model/notify/silence-ends/state.ts';
import { CheckRenamer } from '../../../../daemon/backend/checks/rename.ts';
import { BACKEND_ACTOR } from '../../../../daemon/backend/model/audit/mutations.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass } from '../../../support/group-rig.ts';
import type { HandlingRig } from '../../../support/handling-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MAIL, openRig, PIPE, settle, silence, takeRuns } from '../../../support/silence-rig.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const NOW = ManualClock.START_MS / 1000;
const RESOLVED = ['default resolve silence ended'];

/** The pending resolutions that wait for the end of a silence, as `client/check`. */
const pendingResolutions = ({ registry }: HandlingRig): string[] =>
  [...pendingResolutionsOf(registry.namespace(DEFAULT_NAMESPACE)).all()].map(
    ({ client, check }) => `${client}/${check}`,
  );

const clear = (rig: HandlingRig): Promise<unknown> => rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });

/** Opens a problem that handlers are notified of, silences it, and resolves it. */
async function resolveSilenced(rig: HandlingRig, attributes = {}, result = {}): Promise<void> {
  await rig.report(2, result);
  await settle(rig);
  rig.takeJobs();
  await silence(rig, attributes);
  await rig.report(0, result);
}

describe('the resolution of a problem that was notified and resolves while it is silenced', () => {
  test.each<{
    readonly name: string;
    readonly silenceAttributes?: object;
    readonly endSilence: (rig: HandlingRig) => unknown;
  }>([
    {
      name: 'the silence expires',
      silenceAttributes: { expire: 60 },
      endSilence: ({ clock }) => clock.advance(60_000),
    },
    { name: 'the silence is cleared', endSilence: clear },
    { name: 'a pending silence replaces the silence', endSilence: (rig) => silence(rig, { begin: NOW + 3600 }) },
  ])(
    'the resolution of a silenced problem is notified once when the silence ends: $name',
    async ({ silenceAttributes: attributes = {}, endSilence }) => {
      const rig = await openRig();
      await resolveSilenced(rig, attributes);
      expect(await takeRuns(rig)).toEqual([]);
      expect(pendingResolutions(rig)).toEqual(['web-1/disk']);
      await endSilence(rig);
      expect(await takeRuns(rig)).toEqual(RESOLVED);
      expect(pendingResolutions(rig)).toEqual([]);
      rig.clock.advance(3_600_000);
      expect(await takeRuns(rig)).toEqual([]);
    },
  );

  test('the late notification of a resolution contains the event as it resolved, without the silence', async () => {
    const rig = await openRig();
    await resolveSilenced(rig);
    await clear(rig);
    await settle(rig);
    expect(rig.takeJobs()).toMatchObject([
      {
        handler: 'default',
        event: { action: 'resolve', silenced: false, silenced_by: [], silence_ended: true, check: { status: 0 } },
      },
    ]);
  });

  test('only handlers that were notified of a problem are notified of its resolution after the silence', async () => {
    const rig = await openRig({
      handlers: {
        default: PIPE,
        pager: { ...PIPE, severities: ['critical'] },
        audit: { ...PIPE, handle_silenced: true },
      },
    });
    const handlers = ['default', 'pager', 'audit'];
    await rig.report(1, { handlers });
    await takeRuns(rig);
    await silence(rig);
    await rig.report(2, { handlers });
    expect(await takeRuns(rig)).toEqual(['audit create']);
    await rig.report(0, { handlers });
    expect(await takeRuns(rig)).toEqual(['audit resolve']);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
  });

  test('a resolution is not notified until a second silence that began meanwhile ends too', async () => {
    const rig = await openRig();
    await rig.clients.put(DEFAULT_NAMESPACE, { name: 'web-1', address: 'a', subscriptions: ['web'] });
    await resolveSilenced(rig, { expire: 60 });
    await rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'web' });
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { subscription: 'web' });
    expect(await takeRuns(rig)).toEqual(RESOLVED);
  });

  test('the resolution of a silenced problem is notified before the next problem of the same check', async () => {
    const rig = await openRig();
    await resolveSilenced(rig, { expire: 60 });
    await rig.report(2);
    await rig.report(2);
    expect(await takeRuns(rig)).toEqual([]);
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([...RESOLVED, 'default create silence ended']);
    await rig.report(0);
    expect(await takeRuns(rig)).toEqual(['default resolve']);
  });

  test('a result that arrives when the silence ends is notified after the pending resolution', async () => {
    const rig = await openRig();
    await resolveSilenced(rig, { expire: 60 });
    await settle(rig);
    // One batch contains the end of the silence and the result, as if the result came before the expiry timer.
    await Promise.all([clear(rig), rig.report(1)]);
    expect(await takeRuns(rig)).toEqual([...RESOLVED, 'default create']);
  });

  test('a pending resolution is notified after a restart during which the silence expired', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir });
    await resolveSilenced(rig, { expire: 60 });
    await rig.stop();
    rig.clock.advance(3_600_000);
    const again = await openRig(MAIL, { dir, clock: rig.clock });
    expect(await takeRuns(again)).toEqual(RESOLVED);
    await again.stop();
    expect(pendingResolutions(again)).toEqual([]);
  });

  test('a pending resolution is notified under the new name of a renamed check', async () => {
    const rig = await openRig();
    await resolveSilenced(rig);
    const names = new CheckRenamer({ batcher: rig.batcher, registry: rig.registry, definitions: rig.definitions });
    await names.rename(DEFAULT_NAMESPACE, { from: 'disk', to: 'volume', isForced: true }, BACKEND_ACTOR);
    expect(pendingResolutions(rig)).toEqual(['web-1/volume']);
    await clear(rig);
    await settle(rig);
    expect(rig.takeJobs()).toMatchObject([{ handler: 'default', check: 'volume', event: { action: 'resolve' } }]);
  });

  test('a pending resolution is notified even if its client was deleted meanwhile', async () => {
    const rig = await openRig();
    await resolveSilenced(rig);
    await rig.clients.remove(DEFAULT_NAMESPACE, 'web-1', { expireSeconds: undefined });
    expect(await takeRuns(rig)).toEqual([]);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
  });

  test('a pending resolution waits for a handler whose queue is full, while other handlers are notified at once', async () => {
    const full = new Set<string>();
    const rig = await openRig({ handlers: { default: PIPE, pager: PIPE } }, { full });
    await resolveSilenced(rig, {}, { handlers: ['default', 'pager'] });
    full.add('pager');
    await clear(rig);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
    expect(pendingResolutions(rig)).toEqual(['web-1/disk']);
    full.clear();
    rig.clock.advance(10_000);
    expect(await takeRuns(rig)).toEqual(['pager resolve silence ended']);
    expect(pendingResolutions(rig)).toEqual([]);
  });

  test('a pending resolution is notified later if the store fails when the silence ends', async () => {
    const rig = await openRig();
    await resolveSilenced(rig);
    let refusals = 0;
    rig.store.refuses = (ops) => ops.some(({ key }) => key[0] === 'handler-job') && refusals++ < 1;
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
    expect(pendingResolutions(rig)).toEqual(['web-1/disk']);
    rig.clock.advance(1000);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
  });
});

describe('the resolution of a problem that was never notified', () => {
  test('a problem that opened and resolved during a silence is never notified', async () => {
    const rig = await openRig();
    await silence(rig);
    await rig.report(2);
    await rig.report(0);
    expect(pendingResolutions(rig)).toEqual([]);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('the resolution of a problem that a filter rejected is not notified when the silence ends', async () => {
    const rig = await openRig({ handlers: { default: { ...PIPE, filter: 'occurrences' } } });
    const result = { occurrences: 3 };
    await rig.report(2, result);
    await silence(rig);
    await rig.report(0, result);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });
});

describe('the setting resolve-while-silenced', () => {
  test('resolve-while-silenced: notify notifies a resolution at once despite the silence', async () => {
    const rig = await openRig(MAIL, { resolveWhileSilenced: 'notify' });
    await resolveSilenced(rig);
    expect(await takeRuns(rig)).toEqual(['default resolve']);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('resolve-while-silenced: never does not notify the resolution of a silenced problem', async () => {
    const rig = await openRig(MAIL, { resolveWhileSilenced: 'never' });
    await resolveSilenced(rig);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });
});

describe('a resolution of a handler with group_by', () => {
  const GROUPING = { handlers: { default: groupingPipe() } };

  test('a silenced resolution is notified to its group when the silence ends, and not listed in the group before', async () => {
    const rig = await openGroupRig(GROUPING);
    await rig.report(2);
    await pass(rig, 30);
    expect(rig.takeJobs()).toMatchObject([{ group: { firing: 1 } }]);
    await silence(rig);
    await rig.report(0);
    expect(pendingResolutions(rig)).toEqual(['web-1/disk']);
    await pass(rig, 600);
    expect(rig.takeJobs()).toEqual([]);
    await clear(rig);
    await pass(rig, 600);
    expect(rig.takeJobs()).toMatchObject([{ group: { firing: 0, resolved: 1 } }]);
  });

  test('a problem that was pending in its group and resolved while silenced is never notified', async () => {
    const rig = await openGroupRig(GROUPING);
    await rig.report(2);
    await silence(rig);
    await rig.report(0);
    expect(pendingResolutions(rig)).toEqual([]);
    await clear(rig);
    await pass(rig, 600);
    expect(rig.takeJobs()).toEqual([]);
  });
});
