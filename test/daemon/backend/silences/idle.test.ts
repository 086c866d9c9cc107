import { beforeEach, describe, expect, test } from 'vitest';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE = 60_000;
/** The settings of these tests shorten a day to ten minutes, and a week to seventy. */
const DAY = 10 * MINUTE;
const WEEK = 7 * DAY;
const MADE = ManualClock.START_MS / 1000;
/** Windows of ten minutes; the first window begins half an hour after the creation of the silence. */
const HOURLY = { recurrence: { schedule: '30 * * * *', duration: 600 } };
const HANDLERS = new Map([['default', handlerSchema.parse({ type: 'pipe', command: 'cat > /dev/null' })]]);

interface Idle {
  readonly since: number;
  readonly at: number;
  readonly ends_at?: number;
}

let rig: BackendRig;

function sections({ handlers = true, expire = 0, after = WEEK / 1000 } = {}): Parameters<BackendRig['start']>[0] {
  return {
    program: { 'silence-idle-after': after, 'silence-idle-expire': expire },
    ...(handlers && { handlers: HANDLERS }),
  };
}
beforeEach(async () => {
  rig = await BackendRig.open(sections());
});

const ask: Ask = (...request) => rig.administer(...request);
const silence = (more: object = {}): ReturnType<typeof ask> =>
  ask('POST', '/api/mon/v1/silenced', { check: 'disk', reason: 'known', ...more });
const report = (status: number): ReturnType<typeof ask> =>
  ask('POST', '/results', { name: 'disk', source: 'web-1', output: 'said', status });

async function restart(options?: Parameters<typeof sections>[0], afterMs = 0): Promise<void> {
  await rig.stop();
  rig.clock.advance(afterMs);
  await rig.start(sections(options));
}

async function entries(): Promise<{ id: string; idle?: Idle }[]> {
  return (await ask('GET', '/api/mon/v1/silenced')).body as { id: string; idle?: Idle }[];
}
const idle = async (): Promise<Idle | undefined> => (await entries())[0]?.idle;

interface Dumped {
  readonly entry: { readonly idle?: Idle };
  readonly use?: { readonly unmatched_since?: number };
}
async function dumped(): Promise<Dumped> {
  const { body } = await ask('GET', '/api/mon/v1/dump/Silenced');
  const [object] = (body as { objects: { spec: { mon: Dumped } }[] }).objects;
  if (object === undefined) throw new Error('there is no silence');
  return object.spec.mon;
}
const since = async (): Promise<number | undefined> => (await dumped()).use?.unmatched_since;

/** Advances the clock, and waits for the work that timers start every minute. */
async function pass(ms: number): Promise<void> {
  for (const step of ms > 2 * MINUTE ? [ms - 2 * MINUTE, MINUTE, MINUTE] : [ms]) {
    rig.clock.advance(step);
    // After two commits, all work of the timers is committed.
    for (let commit = 0; commit < 2; commit++) await ask('POST', '/stashes', { path: 'passed', content: {} });
  }
}

/** Creates a silence, and checks that its time without a match counts from its creation. */
async function silenced(more: object = {}): Promise<void> {
  expect((await silence(more)).status).toBe(201);
  await pass(MINUTE);
  expect(await since()).toBe(MADE);
}

describe('a silence that matches no event (spec, idleness)', () => {
  test('a silence without a match for a week is marked as idle in lists, searches and metrics', async () => {
    await silenced();
    await pass(WEEK - 2 * MINUTE);
    expect(await idle()).toBeUndefined();
    await pass(MINUTE);
    expect(await idle()).toEqual({ since: MADE, at: MADE + WEEK / 1000 });
    const found = async (search: string): Promise<number> =>
      ((await ask('GET', `/api/mon/v1/silenced?q=${encodeURIComponent(search)}`)).body as unknown[]).length;
    expect([await found('idle'), await found('!idle')]).toEqual([1, 0]);
    expect((await ask('GET', '/metrics')).text).toContain('mon_silences_idle 1\n');
    // The v1 API does not show the idle mark.
    expect((await ask('GET', '/silenced')).body).toEqual([expect.not.objectContaining({ idle: expect.anything() })]);
  });

  test('a silence of an open event becomes idle only a week after the event resolved', async () => {
    await report(2);
    await silenced();
    await pass(2 * WEEK);
    expect(await idle()).toBeUndefined();
    await report(0);
    const resolved = Math.floor(rig.clock.now() / 1000);
    expect(await since()).toBe(resolved);
    await pass(WEEK - MINUTE);
    expect(await idle()).toBeUndefined();
    await pass(MINUTE);
    expect(await idle()).toEqual({ since: resolved, at: resolved + WEEK / 1000 });
  });

  test('a silence whose event opened and resolved within a week is not idle, even without handlers', async () => {
    await restart({ handlers: false });
    await silenced();
    await pass(6 * DAY);
    await report(2);
    await report(0);
    await pass(2 * DAY);
    expect(await idle()).toBeUndefined();
  });

  test('the idle time of a silence starts at its last match, even before the first evaluation', async () => {
    expect((await silence()).status).toBe(201);
    await pass(MINUTE / 2);
    await report(2);
    await report(0);
    await pass(MINUTE);
    expect(await since()).toBe(MADE + 30);
  });

  test('an idle mark is removed with the commit in which a matching event opens', async () => {
    await silenced();
    await pass(WEEK);
    expect(await idle()).toBeDefined();
    await report(2);
    expect(await idle()).toBeUndefined();
    expect((await ask('GET', '/metrics')).text).toContain('mon_silences_idle 0\n');
  });

  test('an idle mark is removed within a minute after a client change makes the silence cover an open event', async () => {
    await silenced({ check: null, subscription: 'web' });
    await ask('POST', '/clients', { name: 'db-1', address: '127.0.0.1', subscriptions: ['db'] });
    await ask('POST', '/results', { name: 'disk', source: 'db-1', output: 'full', status: 2 });
    await pass(WEEK);
    expect(await idle()).toBeDefined();
    await ask('POST', '/clients', { name: 'db-1', address: '127.0.0.1', subscriptions: ['db', 'web'] });
    await pass(MINUTE);
    expect(await idle()).toBeUndefined();
  });

  test('a recurring silence is idle only after a whole window without a match', async () => {
    await silenced(HOURLY);
    await pass(WEEK + 2 * DAY);
    expect(await idle()).toBeUndefined();
    await pass(DAY);
    expect(await idle()).toMatchObject({ since: MADE });
  });

  test('a recurring silence is not idle if an event was open during all of a window', async () => {
    await report(2);
    await silenced(HOURLY);
    await pass(5 * DAY);
    expect(await since()).toBeGreaterThanOrEqual(MADE + (4 * DAY) / 1000);
    await report(0);
    await pass(WEEK + 3 * DAY);
    expect(await idle()).toBeUndefined();
  });
});

describe('the end of a window in which an idle silence matched (spec, idleness 3)', () => {
  test('an event that is open at the end of a window removes the idle mark before the next evaluation', async () => {
    await silenced({ check: null, subscription: 'web', ...HOURLY });
    // Shifts the evaluations, which run every minute, by a quarter of a minute relative to the windows.
    await restart(undefined, 15_000);
    await ask('POST', '/results', { name: 'disk', source: 'db-1', output: 'full', status: 2 });
    await pass(120 * MINUTE);
    expect(await idle()).toBeDefined();
    // Advances into the last half minute of a window, between two evaluations.
    await pass(38 * MINUTE + 15_000);
    expect(await idle()).toBeDefined();
    await ask('POST', '/clients', { name: 'db-1', address: '127.0.0.1', subscriptions: ['db', 'web'] });
    rig.clock.advance(30_000);
    await ask('POST', '/stashes', { path: 'passed', content: {} });
    expect(await idle()).toBeUndefined();
    expect(await since()).toBe(Math.floor(rig.clock.now() / 1000));
  });
});

describe('idle silences after a restart (spec, idleness 2)', () => {
  test('the idle time and the idle mark of a silence survive a restart', async () => {
    await silenced();
    await pass(6 * DAY);
    await restart();
    await pass(DAY - MINUTE);
    const mark = await idle();
    expect(mark).toEqual({ since: MADE, at: MADE + WEEK / 1000 });
    await restart();
    await pass(6 * DAY);
    expect(await idle()).toEqual(mark);
  });

  test('the downtime of the backend does not count as idle time of a silence', async () => {
    await silenced();
    await pass(6 * DAY);
    await restart(undefined, 3 * DAY);
    await pass(DAY - 5 * MINUTE);
    expect(await idle()).toBeUndefined();
    await pass(5 * MINUTE);
    expect(await idle()).toMatchObject({ since: MADE + (3 * DAY) / 1000 });
  });

  test('a clock jump neither sets nor removes the idle mark of a silence', async () => {
    await silenced();
    await pass(DAY);
    await rig.stop();
    rig.clock.set(100 * DAY);
    await rig.start(sections());
    await pass(6 * DAY - 5 * MINUTE);
    expect(await idle()).toBeUndefined();
    await pass(5 * MINUTE);
    expect(await idle()).toMatchObject({ since: MADE + (100 * DAY) / 1000 });
  });

  test('turning off the setting for idle silences removes all idle marks', async () => {
    await silenced();
    await pass(WEEK);
    expect(await idle()).toBeDefined();
    await restart({ after: 0 });
    await pass(MINUTE);
    expect(await idle()).toBeUndefined();
  });
});

describe('the expiry of idle silences (spec, idleness 4)', () => {
  test('an idle silence expires if configured, and this is recorded in the audit trail and the timeline', async () => {
    await restart({ expire: DAY / 1000 });
    await silenced();
    await pass(WEEK);
    const mark = await idle();
    expect(mark).toMatchObject({ ends_at: (mark?.at ?? 0) + DAY / 1000 });
    await pass(DAY - 3 * MINUTE);
    expect(await entries()).toHaveLength(1);
    await pass(5 * MINUTE);
    expect(await entries()).toEqual([]);
    const reason = expect.stringMatching(
      /^idle: no event matched since 2026-01-01T00:00:00Z, marked 2026-01-01T01:1/,
    ) as string;
    const [ended] = (await ask('GET', '/api/mon/v1/audit')).body as unknown[];
    expect(ended).toMatchObject({
      action: 'silence.expire',
      who: 'mon',
      how: 'silence-idle-expire',
      target: '*:disk',
      reason,
    });
    const { body: timeline } = await ask('GET', '/api/mon/v1/timeline');
    expect(timeline).toMatchObject({ transitions: [{ kind: 'clear', silence: '*:disk', by: 'mon', reason }, {}] });
  });

  test('an idle silence does not expire if an event matches before its expiry', async () => {
    await restart({ expire: DAY / 1000 });
    await silenced();
    await pass(WEEK);
    await report(2);
    await pass(2 * DAY);
    expect(await entries()).toMatchObject([{ id: '*:disk' }]);
    expect(await idle()).toBeUndefined();
  });
});

test('a dump restores the idle mark and the idle time of a silence', async () => {
  await silenced();
  await pass(WEEK);
  const { body } = await ask('GET', '/api/mon/v1/dump/Silenced');
  const before = await dumped();
  expect(before.entry.idle).toBeDefined();
  await ask('POST', '/silenced/clear', { id: '*:disk' });
  const restored = await ask('POST', '/api/mon/v1/restore', { objects: (body as { objects: unknown }).objects });
  expect(restored.status).toBeLessThan(300);
  expect(await dumped()).toEqual(before);
  await pass(MINUTE);
  expect(await dumped()).toEqual(before);
});
