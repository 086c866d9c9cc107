import { describe, expect, test } from 'vitest';
import { pendingResolutionsOf } from '../../../../daemon/backend/model/notify/silence-ends/state.ts';
import { CheckNames } from '../../../../daemon/backend/checks/rename.ts';
import { MON } from '../../../../daemon/backend/model/audit/mutations.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass } from '../../../support/group-rig.ts';
import type { HandlingRig } from '../../../support/handling-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MAIL, openRig, PIPE, settle, silence, takeRuns } from '../../../support/silence-rig.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const NOW = ManualClock.START_MS / 1000;
const RESOLVED = ['default resolve silence ended'];

/** The resolutions that wait for the end of a silence. */
const waiting = ({ registry }: HandlingRig): string[] =>
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

describe('a problem that was notified and resolves while it is silenced', () => {
  test.each<{ readonly name: string; readonly with?: object; readonly end: (rig: HandlingRig) => unknown }>([
    { name: 'it expires', with: { expire: 60 }, end: ({ clock }) => clock.advance(60_000) },
    { name: 'it is cleared', end: clear },
    { name: 'a pending one replaces it', end: (rig) => silence(rig, { begin: NOW + 3600 }) },
  ])('its resolution is notified once when the silence ends: $name', async ({ with: attributes = {}, end }) => {
    const rig = await openRig();
    await resolveSilenced(rig, attributes);
    expect(await takeRuns(rig)).toEqual([]);
    expect(waiting(rig)).toEqual(['web-1/disk']);
    await end(rig);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
    expect(waiting(rig)).toEqual([]);
    rig.clock.advance(3_600_000);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('the notification contains the event as it resolved, without the silence', async () => {
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

  test('only handlers that were notified of the problem are notified of its resolution', async () => {
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

  test('another silence that began meanwhile suppresses the resolution until it ends too', async () => {
    const rig = await openRig();
    await rig.clients.put(DEFAULT_NAMESPACE, { name: 'web-1', address: 'a', subscriptions: ['web'] });
    await resolveSilenced(rig, { expire: 60 });
    await rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'web' });
    rig.clock.advance(60_000);
    expect(await takeRuns(rig)).toEqual([]);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { subscription: 'web' });
    expect(await takeRuns(rig)).toEqual(RESOLVED);
  });

  test('its resolution is notified before the next problem of the same check', async () => {
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

  test('a result that comes before the timer notices the end of the silence notifies in the same order', async () => {
    const rig = await openRig();
    await resolveSilenced(rig, { expire: 60 });
    await settle(rig);
    // The clock of the store is ahead of the timer here: the result and the expiry are in one batch.
    await Promise.all([clear(rig), rig.report(1)]);
    expect(await takeRuns(rig)).toEqual([...RESOLVED, 'default create']);
  });

  test('its resolution is notified after a restart in which the silence expired', async () => {
    const dir = await tempDir();
    const rig = await openRig(MAIL, { dir });
    await resolveSilenced(rig, { expire: 60 });
    await rig.stop();
    rig.clock.advance(3_600_000);
    const again = await openRig(MAIL, { dir, clock: rig.clock });
    expect(await takeRuns(again)).toEqual(RESOLVED);
    await again.stop();
    expect(waiting(again)).toEqual([]);
  });

  test('its resolution is notified under the new name of a renamed check', async () => {
    const rig = await openRig();
    await resolveSilenced(rig);
    const names = new CheckNames({ batcher: rig.batcher, registry: rig.registry, definitions: rig.definitions });
    await names.rename(DEFAULT_NAMESPACE, { from: 'disk', to: 'volume', isForced: true }, MON);
    expect(waiting(rig)).toEqual(['web-1/volume']);
    await clear(rig);
    await settle(rig);
    expect(rig.takeJobs()).toMatchObject([{ handler: 'default', check: 'volume', event: { action: 'resolve' } }]);
  });

  test('its resolution is notified although its client was deleted meanwhile', async () => {
    const rig = await openRig();
    await resolveSilenced(rig);
    await rig.clients.remove(DEFAULT_NAMESPACE, 'web-1', { expireSeconds: undefined });
    expect(await takeRuns(rig)).toEqual([]);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
  });

  test('a handler whose queue is full gets the resolution when there is room, and the others at once', async () => {
    const full = new Set<string>();
    const rig = await openRig({ handlers: { default: PIPE, pager: PIPE } }, { full });
    await resolveSilenced(rig, {}, { handlers: ['default', 'pager'] });
    full.add('pager');
    await clear(rig);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
    expect(waiting(rig)).toEqual(['web-1/disk']);
    full.clear();
    rig.clock.advance(10_000);
    expect(await takeRuns(rig)).toEqual(['pager resolve silence ended']);
    expect(waiting(rig)).toEqual([]);
  });

  test('a failing store delays its resolution and does not lose it', async () => {
    const rig = await openRig();
    await resolveSilenced(rig);
    let refusals = 0;
    rig.store.refuses = (ops) => ops.some(({ key }) => key[0] === 'handler-job') && refusals++ < 1;
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
    expect(waiting(rig)).toEqual(['web-1/disk']);
    rig.clock.advance(1000);
    expect(await takeRuns(rig)).toEqual(RESOLVED);
  });
});

describe('a problem that no handler was notified of', () => {
  test('a problem that opened and resolved within a silence is never notified', async () => {
    const rig = await openRig();
    await silence(rig);
    await rig.report(2);
    await rig.report(0);
    expect(waiting(rig)).toEqual([]);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('a problem that a filter rejected is not notified of its resolution at the end of the silence', async () => {
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
  test('`notify` notifies the resolution at once, in spite of the silence', async () => {
    const rig = await openRig(MAIL, { resolveWhileSilenced: 'notify' });
    await resolveSilenced(rig);
    expect(await takeRuns(rig)).toEqual(['default resolve']);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });

  test('`never` does not notify the resolution', async () => {
    const rig = await openRig(MAIL, { resolveWhileSilenced: 'never' });
    await resolveSilenced(rig);
    await clear(rig);
    expect(await takeRuns(rig)).toEqual([]);
  });
});

describe('a handler with group_by', () => {
  const GROUPING = { handlers: { default: groupingPipe() } };

  test('the group is notified of the resolution when the silence ends, and lists no resolved problem meanwhile', async () => {
    const rig = await openGroupRig(GROUPING);
    await rig.report(2);
    await pass(rig, 30);
    expect(rig.takeJobs()).toMatchObject([{ group: { firing: 1 } }]);
    await silence(rig);
    await rig.report(0);
    expect(waiting(rig)).toEqual(['web-1/disk']);
    await pass(rig, 600);
    expect(rig.takeJobs()).toEqual([]);
    await clear(rig);
    await pass(rig, 600);
    expect(rig.takeJobs()).toMatchObject([{ group: { firing: 0, resolved: 1 } }]);
  });

  test('a problem that was pending in the group is never notified if it resolves while it is silenced', async () => {
    const rig = await openGroupRig(GROUPING);
    await rig.report(2);
    await silence(rig);
    await rig.report(0);
    expect(waiting(rig)).toEqual([]);
    await clear(rig);
    await pass(rig, 600);
    expect(rig.takeJobs()).toEqual([]);
  });
});
