import { describe, expect, test, vi } from 'vitest';
import type { PastChanges, PastState } from '../../shared/schemas/timeline.ts';
import { openRig, type ConsoleRig, type RigOptions } from '../support/console-rig.ts';
import { SCENE, SCENE_EVENTS, SCENE_STATS } from '../support/console-scene.ts';
import { FEED_HELLO } from '../support/feed-server.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../support/feed-rows.ts';
import { sizesOf } from '../support/golden-looks.ts';
import { expectGolden } from '../support/screen.ts';

const NOW_MS = FEED_HELLO.time;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Returns the state at a moment in the past: the current warnings, and one event that has been resolved since then. */
function pastState(at: number): PastState {
  const gone = anEventRow({ client: 'old-1', check: 'raid', status: 2, output: 'degraded', since: at / 1000 - 300 });
  const warnings = SCENE_EVENTS.filter(({ status }) => status === 1);
  const rest = warnings.map((row) => Object.assign({}, row, { since: at / 1000 - 60 }));
  return {
    at,
    retained_since: 0,
    previous: at - 10 * MINUTE_MS,
    next: at + 5 * MINUTE_MS > NOW_MS ? null : at + 5 * MINUTE_MS,
    counts: { events: 5, warning: 4, critical: 1, unknown: 0, silenced: 0, clients: 1, silences: 1 },
    total: 5,
    events: [gone, ...rest],
    silenced: [
      aSilencedRow({
        id: '*:raid',
        check: 'raid',
        subscription: null,
        reason: 'CHG-7',
        expire_at: at / 1000 + 1500,
      }),
    ],
    clients: [{ ...aClientRow({ name: 'old-1' }), events: 1 }],
  };
}

const api: NonNullable<RigOptions['api']> = ({ path }) => {
  const at = /\/timeline\/state\?.*\bat=(\d+)/.exec(path)?.[1];
  if (at === undefined) return { status: 404 };
  if (Number(at) < NOW_MS - 24 * HOUR_MS) {
    return { status: 404, body: { error: 'there is no history for that time: request later', code: 'not_found' } };
  }
  return { status: 200, body: pastState(Number(at)) };
};

async function openAt(command = ':at 2h ago', size: Pick<RigOptions, 'columns' | 'rows'> = {}): Promise<ConsoleRig> {
  const rig = await openRig({ snapshot: SCENE, api, ...size });
  await rig.stats(SCENE_STATS);
  rig.type(`${command}\r`);
  await rig.shows('THE PAST');
  return rig;
}

describe('the past in the console (spec, timeline 5)', () => {
  test('the command :at shows the lists of a past time with ages at that time, and :now returns to live data', async () => {
    const rig = await openAt();
    await rig.shows('THE PAST 2026-11-20 10:00:00Z', 'old-1', 'degraded');
    expect(rig.screen.text).not.toContain('LIVE');
    expect(rig.screen.text).not.toContain('postgres-repl');
    expect(rig.row('raid')).toContain('5m');
    rig.type('3');
    await rig.pass(2000);
    rig.type(':silences\r');
    await rig.shows('CHG-7', 'THE PAST');
    // This silence has expired by now, but was active at the shown time.
    expect(rig.row('CHG-7')).toMatch(/expiring .* 25m /);
    rig.type('/state=expiring\r');
    await rig.shows('1 of 1');
    rig.type(':events\r/age>1h\r');
    await rig.shows('0 of 5');
    rig.type(':clients\r');
    await rig.shows('old-1', 'THE PAST');
    rig.type(':now\r');
    await rig.shows('LIVE');
    rig.type(':events\r');
    await rig.shows('postgres-repl');
    expect(rig.screen.text).not.toContain('old-1');
  });

  test('changes from the feed are not shown while the console shows the past', async () => {
    const rig = await openAt();
    await rig.pass(5000);
    expect(rig.screen.text).toContain('old-1');
    expect(rig.row('raid')).toContain('5m');
    rig.type(':now\r');
    await rig.shows('LIVE', 'db-014');
  });

  test.each(['s', 'r', 'D', 'z'])('the key %s changes nothing in the past and says how to return', async (key) => {
    const rig = await openAt();
    const before = rig.requests.filter(({ method }) => method !== 'GET').length;
    rig.type(key);
    await rig.shows('this is the past, :now returns to live data');
    expect(rig.requests.filter(({ method }) => method !== 'GET')).toHaveLength(before);
  });

  test('a list whose past is not recorded says so, and how to return', async () => {
    const rig = await openAt();
    rig.type('4');
    await rig.shows('The past of aggregates is not recorded.');
    expect(rig.screen.text).toContain(':now returns to live data.');
  });

  test('the keys [ and ] step through past changes and keep the filter', async () => {
    const rig = await openAt();
    rig.type('/client=old-1\r');
    await rig.showsNo('web-020');
    rig.type('[');
    await rig.shows('THE PAST 2026-11-20 09:50:00Z');
    rig.type(']');
    await rig.shows('THE PAST 2026-11-20 09:55:00Z', 'old-1');
    expect(rig.screen.text).not.toContain('web-020');
  });

  test('the key ] after the last change says that nothing has changed since', async () => {
    const rig = await openAt(':at 1m');
    rig.type(']');
    await rig.shows('nothing has changed since: :now returns to live data');
    expect(rig.row('VIEWING THE PAST')).toContain('11:59:00Z');
  });

  test.each([
    [':at tomorrow', 'is in the future: write a time in the past'],
    [':at 30', '30 of what? write 30m for minutes'],
    [':at 30d', 'cannot show the past: there is no history for that time'],
    [':now', 'this is live data already'],
  ])('the console command %s is rejected: %s', async (command, problem) => {
    const rig = await openRig({ snapshot: SCENE, api });
    rig.type(`${command}\r`);
    await rig.shows(problem, 'LIVE');
    expect(rig.screen.text).not.toContain('THE PAST');
  });
});

describe('steps of a minute and to the start of an event', () => {
  test('the keys { and } show the lists a minute earlier or later, and } after the last minute returns to live data', async () => {
    const rig = await openRig({ snapshot: SCENE, api });
    await rig.stats(SCENE_STATS);
    rig.type('{');
    await rig.shows('THE PAST 2026-11-20 11:59:00Z', 'old-1');
    rig.type('{');
    await rig.shows('THE PAST 2026-11-20 11:58:00Z');
    rig.type('}');
    await rig.shows('THE PAST 2026-11-20 11:59:00Z');
    rig.type('}');
    await rig.shows('LIVE', 'postgres-repl');
    rig.type('}');
    await rig.shows('this is live data already');
    expect(rig.screen.text).not.toContain('THE PAST');
  });

  test('the key B shows the lists a second before the event under the cursor began', async () => {
    const rig = await openRig({ snapshot: SCENE, api });
    await rig.stats(SCENE_STATS);
    await rig.shows(/> .*db-014/);
    rig.type('B');
    await rig.shows('THE PAST 2026-11-20 11:56:59Z');
    rig.type(':now\r');
    await rig.shows('LIVE', /> .*db-014/);
    rig.type('\rB');
    await rig.shows('THE PAST 2026-11-20 11:56:59Z');
    expect(rig.row('raid')).toContain('old-1');
  });

  test('the chart of result rates continues after a look at the past', async () => {
    const rig = await openRig({ snapshot: SCENE, api, columns: 120, rows: 36 });
    await rig.stats(SCENE_STATS);
    await rig.stats({ ...SCENE_STATS, rate: 1 });
    await rig.shows('rate 5m █▁');
    rig.type('{');
    await rig.shows('THE PAST');
    rig.type(':now\r');
    await rig.shows('LIVE', 'rate 5m █▁');
    await rig.stats(SCENE_STATS);
    await rig.shows('rate 5m █▁█');
    expect(rig.screen.text).not.toContain('THE PAST');
  });
});

/** Returns the differences between two moments. Back in time, the event of `new-1` replaces the event of `old-1`. */
function changesTo(from: number, at: number): PastChanges {
  const { previous, next } = pastState(at);
  return {
    from,
    at,
    too_many_changes: false,
    previous,
    next,
    events: at < from ? [anEventRow({ client: 'new-1', check: 'fan', status: 2, output: 'slow' })] : [],
    removed: at < from ? [{ client: 'old-1', check: 'raid' }] : [{ client: 'new-1', check: 'fan' }],
    silenced: [aSilencedRow({ id: '*:fan', check: 'fan', subscription: null, reason: 'CHG-8' })],
    clients: [{ ...aClientRow({ name: 'new-1' }), events: 1 }],
    removed_clients: [{ name: 'old-1' }],
  };
}

/** Creates an API that responds with the differences between two moments. */
const stepping =
  (changes: (from: number, at: number) => PastChanges): NonNullable<RigOptions['api']> =>
  (request) => {
    const [, from, at] = /\/timeline\/changes\?from=(\d+)&at=(\d+)/.exec(request.path) ?? [];
    return from === undefined ? api(request) : { status: 200, body: changes(Number(from), Number(at)) };
  };

async function openSteps(changes = changesTo): Promise<ConsoleRig> {
  const rig = await openRig({ snapshot: SCENE, api: stepping(changes) });
  await rig.stats(SCENE_STATS);
  rig.type(':at 2h ago\r');
  await rig.shows('THE PAST 2026-11-20 10:00:00Z');
  return rig;
}
const requestsAbout = (rig: ConsoleRig, what: string): string[] =>
  rig.requests.map(({ path }) => path).filter((path) => path.includes(what));

/** Returns the moment in the path of a request. */
const momentIn = (path: string): string => path.replace(/.*at=/, '');

describe('a step in the past', () => {
  test('a step in the past applies the difference and does not request the whole state', async () => {
    const rig = await openSteps();
    rig.type('[');
    await rig.shows('THE PAST 2026-11-20 09:50:00Z', 'new-1', 'web-020');
    expect(rig.screen.text).not.toContain('old-1');
    rig.type(':silences\r');
    await rig.shows('CHG-8');
    expect(rig.screen.text).not.toContain('CHG-7');
    rig.type(':clients\r');
    await rig.shows('new-1');
    expect(rig.screen.text).not.toContain('old-1');
    expect(requestsAbout(rig, '/timeline/state')).toHaveLength(1);
  });

  test('the next steps in the past are prefetched, first in the current direction', async () => {
    const rig = await openSteps();
    await vi.waitFor(() => expect(requestsAbout(rig, '/timeline/changes')).toHaveLength(2));
    expect(requestsAbout(rig, '/timeline/changes').map(momentIn)).toEqual(
      [-10 * MINUTE_MS, 5 * MINUTE_MS].map((by) => String(NOW_MS - 2 * HOUR_MS + by)),
    );
    rig.type('[');
    await rig.shows('09:50:00Z');
    await vi.waitFor(() => expect(requestsAbout(rig, '/timeline/changes')).toHaveLength(4));
    expect(new Set(requestsAbout(rig, '/timeline/changes')).size).toBe(4);
  });

  test('a step in the past with too many changes requests the whole state', async () => {
    const rig = await openSteps((from, at) => ({
      ...changesTo(from, at),
      too_many_changes: true,
      events: [],
      removed: [],
    }));
    rig.type('[');
    await rig.shows('THE PAST 2026-11-20 09:50:00Z', 'old-1');
    expect(requestsAbout(rig, '/timeline/state')).toHaveLength(2);
  });

  test('a running step in the past is shown in the status and canceled by Esc', async () => {
    const rig = await openSteps((from, at) => ({
      ...changesTo(from, at),
      too_many_changes: true,
      events: [],
      removed: [],
    }));
    rig.type('[');
    await rig.shows('loading 2026-11-20 09:50:00Z, Esc cancels');
    rig.escape();
    await rig.shows('the step was canceled', 'VIEWING THE PAST 2026-11-20 10:00:00Z');
    await rig.pass(1000);
    expect(rig.screen.text).not.toContain('Esc cancels');
    expect(rig.row('VIEWING THE PAST')).toContain('10:00:00Z');
  });
});

test('the worst events of a past time are shown before all events are loaded', async () => {
  const all = [...pastState(NOW_MS).events];
  const worstSeen = Promise.withResolvers<void>();
  const rig = await openRig({
    snapshot: SCENE,
    hold: ({ path }) => (path.includes('/timeline/state') && /offset=[1-9]/.test(path) ? worstSeen.promise : undefined),
    api: ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1]);
      const offset = Number(query.get('offset') ?? 0);
      const at = Number(query.get('at'));
      if (!path.includes('/timeline/state')) return { status: 404 };
      return { status: 200, body: { ...pastState(at), total: all.length, events: all.slice(offset, offset + 1) } };
    },
  });
  await rig.stats(SCENE_STATS);
  rig.type(':at 2h ago\r');
  await rig.shows('THE PAST', `:now  1 of ${String(all.length)}`, 'old-1');
  worstSeen.resolve();
  await rig.shows('web-020');
  await rig.shows(/:now returns {3}/);
  expect(rig.requests.filter(({ path }) => path.includes('/timeline/state'))).toHaveLength(all.length);
});

test.each(sizesOf([{ view: 'past' }]))('the past is drawn at $columns x $rows', async ({ columns, rows }) => {
  const rig = await openAt(':at 2h ago', { columns, rows });
  await rig.shows('old-1');
  await rig.pass(1000);
  await expectGolden(rig.screen, `past-${String(columns)}x${String(rows)}`);
  expect(rig.row('VIEWING THE PAST')).toContain(':now');
});
