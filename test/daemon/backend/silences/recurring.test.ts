import { beforeEach, describe, expect, test } from 'vitest';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = ManualClock.START_MS / 1000;
const HANDLERS = new Map([['default', handlerSchema.parse({ type: 'pipe', command: 'cat > /dev/null' })]]);

/** A window from 02:00 to 03:00 UTC. */
const NIGHTLY = { schedule: 'daily 02:00', duration: 3600 };

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open({ handlers: HANDLERS });
});

const ask: Ask = (...request) => rig.administer(...request);
const createRecurring = (more: object = {}): ReturnType<typeof ask> =>
  ask('POST', '/api/mon/v1/silenced', { check: 'disk', reason: 'backup', recurrence: { ...NIGHTLY, ...more } });
const fail = (): ReturnType<typeof ask> =>
  ask('POST', '/results', { name: 'disk', source: 'web-1', output: 'full', status: 2 });
async function entries(): Promise<Record<string, unknown>[]> {
  return (await ask('GET', '/api/mon/v1/silenced')).body as Record<string, unknown>[];
}
async function isSilenced(): Promise<unknown> {
  return ((await ask('GET', '/events/web-1/disk')).body as { silenced: unknown }).silenced;
}

/** Returns the entries of the timeline about silences, the newest first. */
async function timeline(): Promise<{ kind: string; begin?: number; by?: string }[]> {
  const { body } = await ask('GET', '/api/mon/v1/timeline');
  const rows = (body as { transitions: { kind: string; begin?: number; by?: string }[] }).transitions;
  return rows.filter(({ kind }) => kind === 'silence' || kind === 'expire');
}

describe('a recurring silence (silencing 3)', () => {
  test('a recurring silence suppresses events exactly within its windows', async () => {
    await fail();
    expect((await createRecurring()).status).toBe(201);
    const seen: unknown[] = [];
    for (const [byMs] of [[2 * HOUR - 1], [1], [HOUR - 1], [1], [DAY - HOUR - 1], [1], [HOUR]] as const) {
      rig.clock.advance(byMs);
      seen.push(await isSilenced());
    }
    expect(seen).toEqual([false, true, true, false, false, true, false]);
  });

  test('a recurring silence is shown with its current or next window', async () => {
    await createRecurring();
    const [hour2, hour3] = [NOW + 7200, NOW + 10_800];
    expect(await entries()).toMatchObject([
      { id: '*:disk', begin: hour2, expire_at: hour3, recurrence: { ...NIGHTLY, zone: 'UTC' } },
    ]);
    rig.clock.advance(2.5 * HOUR);
    expect((await ask('GET', '/silenced')).body).toMatchObject([{ id: '*:disk', begin: hour2, expire: 1800 }]);
    rig.clock.advance(HOUR);
    expect(await entries()).toMatchObject([{ begin: hour2 + 86_400, expire_at: hour3 + 86_400 }]);
  });

  test('a recurring silence counts suppressed notifications across all of its windows', async () => {
    await createRecurring();
    rig.clock.advance(2 * HOUR);
    await fail();
    await fail();
    expect(await entries()).toMatchObject([{ suppressed: 2, window: { begin: NOW + 7200, suppressed: 2 } }]);
    rig.clock.advance(DAY);
    expect(await entries()).toMatchObject([{ suppressed: 2, window: { begin: NOW + 7200, suppressed: 2 } }]);
    await fail();
    expect(await entries()).toMatchObject([{ suppressed: 3, window: { begin: NOW + 93_600, suppressed: 1 } }]);
  });

  test('a recurring silence is in the right window after a downtime and keeps its suppression count', async () => {
    await createRecurring();
    rig.clock.advance(2 * HOUR);
    await fail();
    await rig.stop();
    rig.clock.advance(3 * DAY + 1000);
    await rig.start({ handlers: HANDLERS });
    expect(await isSilenced()).toBe(true);
    expect(await entries()).toMatchObject([{ begin: NOW + 7200 + 3 * 86_400, suppressed: 1 }]);
    rig.clock.advance(HOUR);
    expect(await isSilenced()).toBe(false);
  });

  test('a recurring silence is deleted after its last window', async () => {
    await createRecurring({ last_day: '2026-01-02' });
    rig.clock.advance(DAY + 3 * HOUR - 1);
    expect(await entries()).toHaveLength(1);
    rig.clock.advance(1);
    expect(await entries()).toEqual([]);
    await expect
      .poll(async () => JSON.stringify((await ask('GET', '/api/mon/v1/audit')).body))
      .toContain('silence.expire');
  });

  test('the timeline shows each window of a recurring silence, and only the first window has a creator', async () => {
    await fail();
    await createRecurring();
    rig.clock.advance(DAY + 4 * HOUR);
    await expect.poll(timeline).toHaveLength(3);
    rig.clock.advance(DAY);
    await expect
      .poll(timeline)
      .toMatchObject([
        { kind: 'silence', begin: NOW + 7200 + 3 * 86_400 },
        { kind: 'expire' },
        { kind: 'silence' },
        { kind: 'expire' },
        { kind: 'silence', begin: NOW + 7200 },
      ]);
  });

  test('every window of a recurring silence is announced on the feed as often as the first', async () => {
    await createRecurring({ schedule: '0 * * * *', duration: 1800 });
    rig.clock.advance(0.5 * HOUR);
    const windows: number[] = [];
    for (let window = 0; window < 10; window++) {
      const before = rig.store.announced;
      for (let boundary = 0; boundary < 2; boundary++) {
        const { announced } = rig.store;
        rig.clock.advance(0.5 * HOUR);
        await expect.poll(() => rig.store.announced).toBeGreaterThan(announced);
        await entries();
      }
      windows.push(rig.store.announced - before);
    }
    expect(Math.max(...windows)).toBeLessThan(10);
  });

  test('a single silence with the same target cannot replace a recurring silence over any API', async () => {
    await createRecurring();
    expect(await ask('POST', '/api/mon/v1/silenced', { check: 'disk', reason: 'x' })).toMatchObject({ status: 409 });
    expect(await ask('POST', '/silenced', { check: 'disk', expire: 60 })).toMatchObject({ status: 409 });
    const bulk = { operations: [{ op: 'silence', check: 'disk', reason: 'x' }] };
    expect(await ask('POST', '/api/mon/v1/bulk', bulk)).toMatchObject({ status: 409 });
    expect((await createRecurring({ duration: 60 })).status).toBe(201);
  });

  test('undoing the clearing of a recurring silence restores the silence unchanged', async () => {
    await createRecurring();
    const { body } = await ask('POST', '/api/mon/v1/bulk', { operations: [{ op: 'clear', id: '*:disk' }] });
    const [{ undo } = { undo: undefined }] = (body as { results: { undo: unknown }[] }).results;
    await ask('POST', '/api/mon/v1/bulk', { operations: [undo], undo: true });
    expect(await entries()).toMatchObject([{ begin: NOW + 7200, recurrence: { ...NIGHTLY, zone: 'UTC' } }]);
  });

  test.each([
    { wrong: { recurrence: { ...NIGHTLY, zone: 'Europe/Atlantis' } }, says: 'is not a time zone' },
    { wrong: { recurrence: { ...NIGHTLY, duration: 86_400 } }, says: 'would overlap' },
    { wrong: { recurrence: { ...NIGHTLY, last_day: '2025-12-31' } }, says: 'no window starts before' },
    { wrong: { recurrence: NIGHTLY, expire: 60 }, says: 'cannot be combined with begin' },
    { wrong: { recur: NIGHTLY }, says: 'Unrecognized key' },
  ])('an invalid recurring silence is rejected with the reason "$says"', async ({ wrong, says }) => {
    const { status, body } = await ask('POST', '/api/mon/v1/silenced', { check: 'disk', reason: 'x', ...wrong });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(says);
  });

  test('the preview of a recurring silence shows its next five windows and the clock changes in them', async () => {
    const recurrence = { schedule: 'sun 02:30', zone: 'Europe/Berlin', duration: 3600, first_day: '2026-03-22' };
    const { body } = await ask('POST', '/api/mon/v1/silenced/preview', { entries: [{ check: 'disk' }], recurrence });
    const { windows } = body as { windows: { begin: number; clock_change?: string }[] };
    expect(windows).toHaveLength(5);
    expect(windows[0]).toEqual({
      begin: Date.UTC(2026, 2, 22, 1, 30) / 1000,
      end: Date.UTC(2026, 2, 22, 2, 30) / 1000,
    });
    expect(windows[1]).toMatchObject({ begin: Date.UTC(2026, 2, 29, 1) / 1000, clock_change: 'start_skipped' });
    expect(await entries()).toEqual([]);
  });
});
