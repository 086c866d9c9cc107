import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { asking } from '../../../support/asking.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { SetMachine } from '../../../support/set-machine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const HOUR = 3_600_000;
const DAY_SECONDS = 86_400;
const NOW = ManualClock.START_MS / 1000;

/** A window from 02:00 to 03:00 UTC. */
const NIGHTLY = { schedule: 'daily 02:00', duration: 3600 };
const SAVED = { ...NIGHTLY, zone: 'UTC' };

type Answer = ReturnType<ReturnType<typeof asking>>;

let machine: SetMachine;
let dir: string;
let backend: Backend;

async function start(): Promise<void> {
  backend = await openBackend({ dir, clock: machine });
}
beforeEach(async () => {
  machine = new SetMachine();
  dir = await tempDir();
  await start();
  onTestFinished(() => backend.stop());
});

const ask = (method: string, target: string, body?: unknown): Answer => asking(backend.url)(method, target, body);
const createRecurring = (more: object = {}): Answer =>
  ask('POST', '/api/mon/v1/silenced', { check: 'disk', reason: 'backup', recurrence: NIGHTLY, ...more });
const fail = (): Answer => ask('POST', '/results', { name: 'disk', source: 'web-1', output: 'full', status: 2 });
const clear = (id: unknown): Answer => ask('POST', '/silenced/clear', { id });
const bulk = (operations: readonly unknown[], undo = false): Answer =>
  ask('POST', '/api/mon/v1/bulk', { operations, ...(undo && { undo }) });

async function entries(): Promise<Record<string, unknown>[]> {
  return (await ask('GET', '/api/mon/v1/silenced')).body as Record<string, unknown>[];
}
async function isSilenced(): Promise<unknown> {
  return ((await ask('GET', '/events/web-1/disk')).body as { silenced: unknown }).silenced;
}
async function undoOf(answer: Awaited<Answer>): Promise<unknown[]> {
  return await Promise.resolve((answer.body as { results: { undo: unknown }[] }).results.map(({ undo }) => undo));
}

async function dumped(): Promise<{ spec: { mon: { entry: Record<string, unknown> } } }[]> {
  const { body } = await ask('GET', '/api/mon/v1/dump/silenced');
  return (body as { objects: { spec: { mon: { entry: Record<string, unknown> } } }[] }).objects;
}
const restore = async (objects: readonly unknown[]): Promise<unknown> =>
  ((await ask('POST', '/api/mon/v1/restore', { objects })).body as { results: unknown }).results;

async function timeline(): Promise<unknown> {
  return ((await ask('GET', '/api/mon/v1/timeline')).body as { transitions: unknown }).transitions;
}

/** Advances the clock by 61 minutes in steps of a minute, after which a clock jump is confirmed. */
async function confirmClockJump(): Promise<void> {
  for (let minute = 0; minute <= 60; minute++) {
    machine.advance(60_000);
    await ask('GET', '/health');
  }
}

describe('a recurring silence and clock jumps (silencing 3)', () => {
  test('a recurring silence follows a wall clock that is set forward into a window and then beyond it', async () => {
    await fail();
    await createRecurring();
    // The wall clock jumps to 01:30, and shows 02:31 when the jump is confirmed.
    machine.set(1.5 * HOUR);
    await confirmClockJump();
    await expect.poll(isSilenced).toBe(true);
    expect(await entries()).toMatchObject([{ begin: NOW + 7200, expire_at: NOW + 10_800, recurrence: SAVED }]);
    machine.advance(0.5 * HOUR);
    await expect.poll(isSilenced).toBe(false);
    await expect.poll(entries).toMatchObject([{ begin: NOW + 7200 + DAY_SECONDS }]);
  });

  test('the next window of a recurring silence is announced once a clock jump is confirmed', async () => {
    await createRecurring();
    machine.advance(1.9 * HOUR);
    // When the jump of a day is confirmed, the wall clock is inside the window of the next day.
    machine.set(24 * HOUR);
    await confirmClockJump();
    await expect.poll(timeline).toMatchObject([{ kind: 'silence', begin: NOW + 7200 + DAY_SECONDS }, {}, {}]);
  });

  test('a window of a recurring silence repeats if the wall clock is set back to before the window', async () => {
    await fail();
    await createRecurring();
    machine.advance(4 * HOUR);
    await expect.poll(entries).toMatchObject([{ begin: NOW + 7200 + DAY_SECONDS }]);
    machine.set(-3.5 * HOUR);
    await confirmClockJump();
    await expect.poll(entries).toMatchObject([{ begin: NOW + 7200 }]);
    machine.advance(HOUR);
    await expect.poll(isSilenced).toBe(true);
  });

  test('a window of a recurring silence that a clock correction does not change is not announced again', async () => {
    await createRecurring();
    // The wall clock shows 01:11 when the jump is confirmed, and the next window still begins at 02:00.
    machine.set(HOUR / 6);
    await confirmClockJump();
    await fail();
    machine.advance(50 * 60_000);
    await expect.poll(isSilenced).toBe(true);
    machine.advance(HOUR);
    await expect.poll(isSilenced).toBe(false);
    await expect
      .poll(async () => ((await timeline()) as { kind: string }[]).map(({ kind }) => kind))
      .toEqual(['silence', 'expire', 'create', 'silence']);
  });

  test('the end of a window has one reminder, even if the clock jumps before the end', async () => {
    // With a boot id, the backend can distinguish a clock change from downtime.
    await backend.stop();
    machine.bootId = 'one';
    await start();
    await fail();
    await createRecurring();
    machine.advance(2 * HOUR);
    await expect.poll(isSilenced).toBe(true);
    machine.advance(50 * 60_000);
    await expect.poll(async () => (await entries())[0]?.['reminder_sent']).toMatchObject({ events: 1 });
    const [before] = await entries();
    await backend.stop();
    machine.set(60_000);
    await start();
    await fail();
    machine.advance(1000);
    await fail();
    expect(await entries()).toMatchObject([{ begin: NOW + 7200, reminder_sent: before?.['reminder_sent'] }]);
  });

  test('a recurring silence follows a wall clock that changed while the backend was stopped', async () => {
    await fail();
    await createRecurring();
    await backend.stop();
    machine.set(2.5 * HOUR);
    await start();
    await expect.poll(isSilenced).toBe(true);
    machine.advance(HOUR / 2);
    await expect.poll(isSilenced).toBe(false);
  });
});

describe('changes of a recurring silence', () => {
  test('the audit trail records changes of a recurring silence with its schedule', async () => {
    await createRecurring();
    await createRecurring({ recurrence: { ...NIGHTLY, duration: 1800 } });
    await clear('*:disk');
    const { body } = await ask('GET', '/api/mon/v1/audit');
    expect(body).toMatchObject([
      { action: 'silence.clear', before: { recurrence: { ...SAVED, duration: 1800 } } },
      { action: 'silence.replace', before: { recurrence: SAVED }, after: { recurrence: { ...SAVED, duration: 1800 } } },
      { action: 'silence.create', after: { recurrence: SAVED } },
    ]);
  });

  test('recurring silences, even silences by search, can be created and undone in bulk', async () => {
    const many = ['disk', 'load'].map((check) => ({ op: 'silence', check, reason: 'x', recurrence: NIGHTLY }));
    const found = { op: 'silence', selector: 'client~web-*', reason: 'x', recurrence: NIGHTLY };
    const made = await bulk([...many, found]);
    expect(await entries()).toMatchObject([{ id: '*:disk' }, { id: '*:load' }, { selector: 'client~web-*' }]);
    const longer = await bulk([{ ...found, recurrence: { ...NIGHTLY, duration: 7200 } }]);
    expect(await entries()).toMatchObject([{}, {}, { recurrence: { duration: 7200 } }]);
    await bulk(await undoOf(longer), true);
    expect(await entries()).toMatchObject([{}, {}, { recurrence: SAVED }]);
    await bulk((await undoOf(made)).toReversed(), true);
    expect(await entries()).toEqual([]);
  });

  test('a recurring silence can be undone after one of its windows has ended', async () => {
    const made = await bulk([{ op: 'silence', check: 'disk', reason: 'x', recurrence: NIGHTLY }]);
    machine.advance(4 * HOUR);
    await expect.poll(entries).toMatchObject([{ begin: NOW + 7200 + DAY_SECONDS }]);
    const cleared = await bulk(await undoOf(made), true);
    expect(await entries()).toEqual([]);
    machine.advance(48 * HOUR);
    await bulk(await undoOf(cleared), true);
    expect(await entries()).toMatchObject([{ begin: NOW + 7200 + 3 * DAY_SECONDS, recurrence: SAVED }]);
  });

  test('undoing the clearing of a recurring silence restores its schedule, whatever begin and end were sent', async () => {
    await fail();
    const cleared = await bulk([
      { op: 'silence', check: 'disk', reason: 'x', recurrence: NIGHTLY },
      { op: 'clear', id: '*:disk' },
    ]);
    const [, undo] = (await undoOf(cleared)) as { entry: object }[];
    await bulk([{ ...undo, entry: { ...undo?.entry, begin: null, expire_at: null, expire_on_resolve: true } }], true);
    expect(await isSilenced()).toBe(false);
    expect(await entries()).toMatchObject([{ begin: NOW + 7200, expire_at: NOW + 10_800, expire_on_resolve: false }]);
  });
});

describe('recurring silences in a dump', () => {
  test('a dump restores a recurring silence with its schedule and its counts, in the current window', async () => {
    await createRecurring({
      recurrence: { ...NIGHTLY, zone: 'Europe/Berlin', first_day: '2026-01-01', last_day: '2026-02-01' },
    });
    await createRecurring({ check: undefined, selector: 'client~web-*' });
    machine.advance(2.5 * HOUR);
    await fail();
    const before = await entries();
    const objects = await dumped();
    for (const { id } of before) await clear(id);
    expect(await entries()).toEqual([]);
    expect(await restore(objects)).toMatchObject([{ outcome: 'created' }, { outcome: 'created' }]);
    expect(await entries()).toEqual(before);
    machine.advance(24 * HOUR);
    await expect.poll(entries).toMatchObject([{ begin: NOW + 3600 + 2 * DAY_SECONDS }, {}]);
    expect(await restore(objects)).toMatchObject([{ outcome: 'unchanged' }, { outcome: 'unchanged' }]);
  });

  test('restoring a single silence from a dump does not replace a recurring silence', async () => {
    await ask('POST', '/api/mon/v1/silenced', { check: 'disk', reason: 'x', expire: 60 });
    const objects = await dumped();
    await createRecurring();
    expect(await restore(objects)).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining('recurs') }]);
    expect(await entries()).toMatchObject([{ recurrence: SAVED }]);
  });

  test('an edited dump cannot turn a recurring silence into a silence without a schedule', async () => {
    await createRecurring();
    const [object] = await dumped();
    await clear('*:disk');
    const entry = { ...object?.spec.mon.entry, begin: null, expire_at: null };
    const spec = { ...object?.spec, begin: 0, expire: -1, expire_at: 0, mon: { entry } };
    const [left] = (await restore([{ ...object, spec }])) as unknown[];
    expect(left).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('an edited copy of this recurring silence'),
    });
    expect(await entries()).toEqual([]);
  });
});
