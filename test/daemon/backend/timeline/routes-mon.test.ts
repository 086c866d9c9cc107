import { beforeEach, describe, expect, test } from 'vitest';
import type { AvailabilityReport } from '../../../../shared/schemas/availability.ts';
import type { TimelinePage, TimelineRow } from '../../../../shared/schemas/timeline.ts';
import { administratorOf } from '../../../support/administrator.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend } from '../../../support/running-backend.ts';

const MON = '/api/mon/v1';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PER_CHECK = 100;

let days: number;
let rig: BackendRig;

function sections(): Parameters<BackendRig['start']>[0] {
  return { program: { timeline: { days } }, fixedLimits: { transitionsPerCheck: PER_CHECK } };
}
/**
 * Restarts the backend with its clock at this time.
 *
 * @param ms milliseconds since the start of the manual clock
 */
async function restartAt(ms: number): Promise<void> {
  await rig.stop();
  rig.clock = new ManualClock(ManualClock.START_MS + ms);
  await rig.start(sections());
}
beforeEach(async () => {
  days = 90;
  rig = await BackendRig.open(sections());
});

const ask: Ask = (...request) => rig.ask(...request);

/** Advances the clock by a minute, and reports one result. */
async function report(check: string, status: number, source = 'web-1', more = {}): Promise<void> {
  rig.clock.advance(MINUTE);
  const result = { name: check, output: `${check} says ${String(status)}\nmore`, status, source, ...more };
  expect((await ask('POST', '/results', result)).status).toBe(202);
}
const page = async (query = ''): Promise<TimelinePage> =>
  (await ask('GET', `${MON}/timeline${query}`)).body as TimelinePage;
const rows = async (query = ''): Promise<readonly TimelineRow[]> => (await page(query)).transitions;
const kinds = async (query = ''): Promise<string[]> =>
  (await rows(query)).map(({ kind, client, check, silence }) =>
    [kind, silence ?? `${client ?? ''}/${check ?? ''}`].join(' '),
  );
const availability = async (query: string): Promise<AvailabilityReport> =>
  (await ask('GET', `${MON}/availability${query}`)).body as AvailabilityReport;

describe('the transitions of a check in the timeline (spec, timeline 1)', () => {
  test('each transition contains what the list of events showed after it', async () => {
    await report('disk', 0);
    await report('disk', 2);
    await report('disk', 2);
    await report('disk', 1);
    await report('disk', 0);
    const started = ManualClock.START_MS;
    expect(await rows('?client=web-1&check=disk')).toEqual([
      {
        id: expect.any(Number),
        at: started + 5 * MINUTE,
        kind: 'resolve',
        client: 'web-1',
        check: 'disk',
        was: 1,
        status: 0,
        occurrences: 1,
        output: 'disk says 0',
      },
      {
        id: expect.any(Number),
        at: started + 4 * MINUTE,
        kind: 'change',
        client: 'web-1',
        check: 'disk',
        was: 2,
        status: 1,
        occurrences: 1,
        output: 'disk says 1',
      },
      {
        id: expect.any(Number),
        at: started + 2 * MINUTE,
        kind: 'create',
        client: 'web-1',
        check: 'disk',
        was: 0,
        status: 2,
        occurrences: 1,
        output: 'disk says 2',
      },
      {
        id: expect.any(Number),
        at: started + MINUTE,
        kind: 'new',
        client: 'web-1',
        check: 'disk',
        status: 0,
        output: 'disk says 0',
      },
    ]);
  });

  test('a transition shows the user who resolved, deleted or renamed', async () => {
    const admin = administratorOf(rig.url);
    await report('disk', 2);
    await ask('DELETE', '/events/web-1/disk');
    await report('swap', 1);
    await ask('POST', `${MON}/checks/swap/rename`, { to: 'paging' }, admin);
    await ask('DELETE', '/clients/web-1');
    const found = await rows('?client=web-1');
    expect(found.map(({ kind, check, by, to }) => [kind, check, by, to].join(' ').trim())).toEqual([
      'remove paging anonymous',
      'remove disk anonymous',
      'resolve paging anonymous',
      'create paging local administrator',
      'rename swap local administrator paging',
      'create swap',
      'resolve disk anonymous',
      'create disk',
    ]);
  });

  test('a silence of many checks is one transition, which is shown in the timeline of each check', async () => {
    await report('disk', 2);
    await report('disk', 2, 'web-2');
    rig.clock.advance(MINUTE);
    await ask('POST', '/silenced', { check: 'disk', reason: 'CHG-1', creator: 'ada', expire: 600 });
    await ask('POST', '/silenced', { subscription: 'client:web-2', creator: 'bob' });
    await ask('POST', '/silenced/clear', { subscription: 'client:web-2' });
    await report('disk', 1);
    rig.clock.advance(600_000);
    await report('load', 0);
    expect(await kinds('?client=web-1&check=disk')).toEqual([
      'expire *:disk',
      'change web-1/disk',
      'silence *:disk',
      'create web-1/disk',
    ]);
    expect(await kinds('?client=web-2')).toEqual([
      'expire *:disk',
      'clear client:web-2:*',
      'silence client:web-2:*',
      'silence *:disk',
      'create web-2/disk',
    ]);
    const [made] = await rows('?q=kind=silence%20reason~CHG');
    expect(made).toMatchObject({
      silence: '*:disk',
      check: 'disk',
      by: 'ada',
      creator: 'ada',
      reason: 'CHG-1',
      end: (made?.at ?? 0) + 600_000,
    });
    expect(await rows('?q=kind=change')).toMatchObject([{ silenced_by: ['*:disk'] }]);
    expect(await rows('?q=kind=clear')).toMatchObject([{ by: 'anonymous' }]);
  });

  test('the timeline redacts the output of a client whose redact list contains output', async () => {
    await ask('POST', '/clients', { name: 'web-9', address: 'a', subscriptions: [], redact: ['output'] });
    await report('disk', 2, 'web-9');
    expect(await rows('?client=web-9')).toMatchObject([{ output: 'REDACTED' }]);
  });

  test('no transitions are stored when the timeline is turned off', async () => {
    await rig.stop();
    days = 0;
    await rig.start(sections());
    await report('disk', 2);
    expect(await page()).toEqual({ transitions: [], next: null, retained_since: null });
  });
});

describe('the commit of a transition', () => {
  test('a failed write stores neither a change nor its transition in the timeline', async () => {
    rig.store.refuses = () => true;
    expect((await ask('POST', '/results', { name: 'disk', output: 'a', status: 2, source: 'web-1' })).status).toBe(503);
    rig.store.refuses = () => false;
    expect(await kinds()).toEqual([]);
    await report('disk', 2);
    expect(await kinds()).toEqual(['create web-1/disk']);
  });

  test('a result that does not change the status of its check writes no transition', async () => {
    const written: string[][] = [];
    await report('disk', 2);
    await report('load', 0);
    rig.store.refuses = (ops) => {
      written.push(ops.map(({ key }) => String(key[0])).filter((table) => table.startsWith('timeline')));
      return false;
    };
    await report('disk', 2);
    await report('load', 0);
    await report('load', 1);
    expect(written.flat()).toEqual(['timeline', 'timeline-check', 'timeline-head']);
  });

  test('the timeline continues after a restart, even if the wall clock was set back', async () => {
    await report('disk', 2);
    await restartAt(-DAY);
    await report('disk', 0);
    expect(await kinds()).toEqual(['resolve web-1/disk', 'create web-1/disk']);
  });
});

/** Returns all keys of the stored timeline of a namespace. */
async function timelineKeysOf(namespace: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const prefix of ['timeline', 'timeline-check']) {
    for await (const [key] of rig.store.scan([prefix, namespace])) found.push(key);
  }
  return found;
}

describe('the limits of the timeline (spec, timeline 3)', () => {
  test('transitions that are older than the retention are deleted in small batches', async () => {
    await report('disk', 2);
    await ask('POST', '/silenced', { check: 'disk' });
    await restartAt(89 * DAY);
    await report('disk', 0);
    await restartAt(90 * DAY + 5 * MINUTE);
    rig.clock.advance(10_000);
    await expect.poll(() => kinds()).toEqual(['resolve web-1/disk']);
    expect((await page()).retained_since).toBe(rig.clock.now() - 90 * DAY);
    expect(await kinds('?client=web-1&check=disk')).toEqual(['resolve web-1/disk']);
  });

  test('transitions of a check beyond the limit are deleted, the oldest first', async () => {
    for (let at = 0; at < 2 * PER_CHECK; at++) await report('disk', (at % 2) + 1);
    await report('load', 1);
    rig.clock.advance(10_000);
    const ofDisk = async (): Promise<number> => (await rows('?client=web-1&check=disk&limit=1000')).length;
    // The timeline may exceed the limit by a tenth, and rarely by more.
    await expect.poll(ofDisk).toBeLessThan(1.5 * PER_CHECK);
    expect(await ofDisk()).toBeGreaterThanOrEqual(PER_CHECK);
    expect((await rows('?client=web-1&check=disk&limit=1000')).at(-1)).toMatchObject({ kind: 'change' });
    expect(await rows('?limit=1000')).toHaveLength((await ofDisk()) + 1);
  });

  test('a starting backend finds and deletes transitions beyond the limits', async () => {
    await report('cpu', 1);
    for (let at = 0; at < PER_CHECK + 9; at++) await report('disk', (at % 2) + 1);
    await report('load', 1);
    await restartAt(rig.clock.now() - ManualClock.START_MS);
    rig.clock.advance(10_000);
    await expect.poll(async () => (await rows('?limit=1000')).length).toBe(PER_CHECK + 2);
    expect(await rows('?client=web-1&check=disk&limit=1000')).toHaveLength(PER_CHECK);
  });

  test('deleting a namespace deletes its timeline', async () => {
    const admin = rig.administer;
    await admin('POST', '/api/core/v2/namespaces', { name: 'shop' });
    await admin('POST', `${MON}/results?namespace=shop`, [{ source: 'web-1', name: 'disk', output: '', status: 2 }]);
    await admin('DELETE', `${MON}/clients/web-1?namespace=shop`);
    expect((await admin('DELETE', '/api/core/v2/namespaces/shop')).status).toBe(204);
    expect(await timelineKeysOf('shop')).not.toEqual([]);
    rig.clock.advance(10_000);
    await expect.poll(() => timelineKeysOf('shop')).toEqual([]);
  });

  test('all transitions are deleted when the timeline is turned off', async () => {
    await report('disk', 2);
    await rig.stop();
    days = 0;
    await rig.start(sections());
    rig.clock.advance(10_000);
    await expect.poll(() => page()).toEqual({ transitions: [], next: null, retained_since: null });
  });
});

const at = (minute: number): string => String(ManualClock.START_MS + minute * MINUTE);

describe('GET /api/mon/v1/timeline', () => {
  beforeEach(async () => {
    for (const status of [0, 1, 2, 0]) {
      await report('disk', status);
      await report('load', status, 'db-1');
    }
  });
  test.each([
    ['?limit=2', ['resolve db-1/load', 'resolve web-1/disk']],
    ['?q=client=db-1%20status>=warn', ['change db-1/load', 'create db-1/load']],
    ['?q=kind=create', ['create db-1/load', 'create web-1/disk']],
    ['?check=disk&q=kind=resolve', ['resolve web-1/disk']],
    [`?since=${at(7)}`, ['resolve db-1/load', 'resolve web-1/disk']],
    [`?until=${at(2)}`, ['new db-1/load', 'new web-1/disk']],
    [`?client=web-1&since=${at(3)}&until=${at(5)}`, ['change web-1/disk', 'create web-1/disk']],
    ['?client=nobody', []],
  ])('GET /api/mon/v1/timeline%s returns the matching transitions', async (query, expected) => {
    expect(await kinds(query)).toEqual(expected);
  });

  test.each(['?', '?client=web-1&', '?q=check=disk&'])(
    'GET /api/mon/v1/timeline%s returns each transition once in pages while more transitions arrive',
    async (query) => {
      const all = await kinds(`${query}limit=1000`);
      const paged: string[] = [];
      let after = '';
      for (let more = 2; ; more++) {
        const { transitions, next } = await page(`${query}limit=3${after}`);
        paged.push(...transitions.map(({ kind, client = '', check = '' }) => `${kind} ${client}/${check}`));
        if (next === null) break;
        after = `&after=${String(next)}`;
        await report('disk', more % 2);
      }
      expect(paged).toEqual(all);
    },
  );

  test('a timeline request with an invalid search or an invalid position is rejected', async () => {
    expect(await ask('GET', `${MON}/timeline?q=colour=red`)).toMatchObject({ status: 400 });
    expect(await ask('GET', `${MON}/timeline?after=yesterday`)).toMatchObject({ status: 400 });
  });
});

test('GET /api/mon/v1/timeline/:client/:check returns the statuses without a gap, and the silences', async () => {
  await report('disk', 0);
  await report('disk', 2);
  rig.clock.advance(9 * MINUTE);
  await ask('POST', '/silenced', { check: 'disk', expire: 60 });
  await report('disk', 0);
  rig.clock.advance(MINUTE);
  const began = ManualClock.START_MS;
  const { body } = await ask('GET', `${MON}/timeline/web-1/disk?since=${String(began)}`);
  expect(body).toEqual({
    since: began,
    until: began + 13 * MINUTE,
    stretches: [
      { since: began, until: began + MINUTE },
      { since: began + MINUTE, until: began + 2 * MINUTE, status: 0 },
      { since: began + 2 * MINUTE, until: began + 12 * MINUTE, status: 2 },
      { since: began + 12 * MINUTE, until: began + 13 * MINUTE, status: 0 },
    ],
    silenced: [{ since: began + 11 * MINUTE, until: began + 12 * MINUTE }],
    availability: {
      ok: 120,
      warning: 0,
      critical: 540,
      unknown: 0,
      silenced: 60,
      no_data: 60,
      outages: 1,
      percent: (100 * 120) / 660,
    },
  });
});

describe('GET /api/mon/v1/availability', () => {
  test('the availability of a check counts silenced downtime separately', async () => {
    await report('disk', 0);
    const since = rig.clock.now();
    rig.clock.advance(9 * MINUTE);
    await report('disk', 2);
    rig.clock.advance(10 * MINUTE);
    await ask('POST', '/silenced', { check: 'disk' });
    rig.clock.advance(10 * MINUTE);
    await ask('POST', '/silenced/clear', { check: 'disk' });
    rig.clock.advance(9 * MINUTE);
    await report('disk', 0);
    rig.clock.advance(10 * MINUTE);
    const shares = {
      ok: 1200,
      critical: 1200,
      warning: 0,
      unknown: 0,
      silenced: 600,
      no_data: 0,
      outages: 1,
      percent: 50,
    };
    expect(await availability(`?client=web-1&check=disk&since=${String(since)}`)).toEqual({
      since,
      until: rig.clock.now(),
      count: 1,
      total: shares,
      over_time: {
        period: 60,
        ok: Array.from({ length: 50 }, (_, minute) => (minute >= 10 && minute < 40 ? 0 : 1)),
        total: Array.from({ length: 50 }, () => 1),
      },
      checks: [{ client: 'web-1', check: 'disk', ...shares }],
    });
  });

  test('the availability of an aggregate has the number of OK members in each period, at its worst moment', async () => {
    const since = rig.clock.now();
    await report('disk', 0, 'web-1', { aggregate: 'web' });
    await report('disk', 0, 'web-2', { aggregate: 'web' });
    await report('disk', 2, 'web-1', { aggregate: 'web' });
    rig.clock.advance(10_000);
    await ask('POST', '/results', { name: 'disk', output: '', status: 0, source: 'web-1', aggregate: 'web' });
    rig.clock.advance(MINUTE);
    const { over_time: overTime } = await availability(`?aggregate=web&since=${String(since)}`);
    expect(overTime).toEqual({ period: 60, ok: [null, 1, 2, 1, 2], total: [null, 1, 2, 2, 2] });
  });

  test('the availability of a client or an aggregate lists the checks, the worst first', async () => {
    for (const check of ['disk', 'load']) await report(check, 0, 'web-1', { aggregate: 'web' });
    await report('other', 2);
    const since = rig.clock.now();
    await report('load', 1, 'web-1', { aggregate: 'web' });
    rig.clock.advance(MINUTE);
    const span = `&since=${String(since)}`;
    const { count, total, checks } = await availability(`?aggregate=web${span}`);
    expect([count, total.percent, checks.map(({ check, percent }) => [check, percent])]).toEqual([
      2,
      75,
      [
        ['load', 50],
        ['disk', 100],
      ],
    ]);
    expect((await availability(`?client=web-1${span}&limit=1`)).checks).toMatchObject([{ check: 'other', percent: 0 }]);
  });

  test('the availability counts the time before the first result as time without data', async () => {
    await report('disk', 0);
    rig.clock.advance(MINUTE);
    expect((await availability('?client=web-1')).total).toMatchObject({
      ok: 60,
      no_data: DAY / 1000 - 60,
      percent: 100,
    });
  });

  test.each([
    ['', 400, 'set the parameter client, check or aggregate'],
    ['?aggregate=none', 404, 'there is no aggregate none'],
    ['?check=disk&since=5&until=4', 400, 'since must be before until'],
    ['?check=disk&since=yesterday', 400, 'since: must be a whole number, 0 or more'],
    ['?check=disk&limit=-1', 400, 'limit: must be a whole number, 0 or more'],
  ])('GET /api/mon/v1/availability%s is rejected with the reason', async (query, status, message) => {
    const answer = await ask('GET', `${MON}/availability${query}`);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message);
  });
});

test('each namespace has its own timeline, and an API key of one namespace sees no other timeline', async () => {
  await using running = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  const asRoot = asking(running.url, basic('root', 'long enough'));
  for (const name of ['team-a', 'team-b']) {
    await asRoot('POST', '/api/core/v2/namespaces', { name });
    await asRoot('POST', `${MON}/results?namespace=${name}`, [{ source: name, name: 'disk', output: 'a', status: 2 }]);
  }
  const { body } = await asRoot('POST', '/api/core/v2/apikeys', { username: 'root', namespace: 'team-a' });
  const asTeam = asking(running.url, `Key ${(body as { readonly key: string }).key}`);
  const seen = async (ask_: typeof asRoot, query: string): Promise<unknown> => {
    const answer = await ask_('GET', `${MON}/timeline${query}`);
    if (answer.status !== 200) return answer.status;
    return (answer.body as TimelinePage).transitions.map(({ namespace, client }) => [namespace, client]);
  };
  expect(await seen(asRoot, '')).toEqual([]);
  expect(await seen(asRoot, '?namespace=team-b')).toEqual([[undefined, 'team-b']]);
  expect(await seen(asRoot, '?namespace=*')).toEqual([
    ['team-b', 'team-b'],
    ['team-a', 'team-a'],
  ]);
  expect(await seen(asTeam, '?namespace=*')).toEqual([['team-a', 'team-a']]);
  expect(await seen(asTeam, '?namespace=team-b')).toBe(403);
  expect((await asTeam('GET', `${MON}/availability?namespace=team-b&client=team-b`)).status).toBe(403);
});

test('searches of the timeline run one at a time, and more than twenty waiting searches are rejected', async () => {
  // With this many transitions, a search takes longer than the requests need to arrive.
  const many = Array.from({ length: 2000 }, (_, index) => ({
    source: `s-${String(index)}`,
    name: 'disk',
    status: 2,
    output: '',
  }));
  expect((await ask('POST', `${MON}/results`, many)).status).toBe(202);
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask('GET', `${MON}/timeline?q=nothing`)));
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('try again in a few seconds') },
    });
  }
  const lists = await Promise.all(Array.from({ length: 30 }, () => ask('GET', `${MON}/timeline`)));
  expect(lists.every(({ status }) => status === 200)).toBe(true);
});
