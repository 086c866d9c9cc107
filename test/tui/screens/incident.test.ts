import { beforeEach, describe, expect, test } from 'vitest';
import { eventKey } from '../../../shared/domain/event-key.ts';
import type { CheckHistory } from '../../../shared/schemas/availability.ts';
import type { PastState } from '../../../shared/schemas/timeline.ts';
import { byKey, type ConsoleRig, type RigOptions } from '../../support/console-rig.ts';
import { openScene, SCENE_EVENTS } from '../../support/console-scene.ts';
import { FEED_HELLO } from '../../support/feed-server.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import { LOOKS, sizesOf } from '../../support/golden-looks.ts';
import { expectGolden } from '../../support/screen.ts';
import { SCENE_REPORT } from '../../support/timeline-scene.ts';

const NOW = FEED_HELLO.time;
const MINUTE = 60_000;

/** Requests of the console for histories of checks, by client and check. */
let histories: string[];

beforeEach(() => {
  histories = [];
});

/** Returns a history of an event of the scene: OK until the event began, and ten minutes of it silenced. */
function historyOf(client: string, check: string, since: number): CheckHistory {
  const row = SCENE_EVENTS.find((one) => one.client === client && one.check === check);
  const beganMs = Math.max(since, (row?.since ?? 0) * 1000);
  return {
    since,
    until: NOW,
    stretches: [
      { since, until: beganMs, status: 0 },
      { since: beganMs, until: NOW, status: row?.status ?? 0 },
    ],
    silenced: check === 'disk-root' ? [{ since: NOW - 10 * MINUTE, until: NOW - 5 * MINUTE }] : [],
    availability: { ok: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, no_data: 0, outages: 1, percent: null },
  };
}

const api: NonNullable<RigOptions['api']> = ({ path }) => {
  const [name = '', query = ''] = path.split('?');
  const asked = new URLSearchParams(query);
  if (name === '/api/mon/v1/report') {
    const actions = SCENE_REPORT.actions.actions.map((action, index) =>
      Object.assign({}, action, { at: NOW - (index + 1) * 4 * MINUTE }),
    );
    return { status: 200, body: { ...SCENE_REPORT, actions: { count: actions.length, actions } } };
  }
  if (name === '/api/mon/v1/timeline/state') {
    const at = Number(asked.get('at'));
    const gone = anEventRow({
      client: 'old-1',
      check: 'disk-root',
      status: 2,
      output: 'degraded',
      since: at / 1000 - 300,
    });
    const counts = { events: 1, warning: 0, critical: 1, unknown: 0, silenced: 0, clients: 0, silences: 0 };
    const state: PastState = { at, retained_since: 0, previous: null, next: null, counts, total: 1, events: [gone] };
    return { status: 200, body: { ...state, silenced: [], clients: [] } };
  }
  const event = SCENE_EVENTS.find(({ client, check }) => name === `/api/mon/v1/timeline/${eventKey(client, check)}`);
  if (event === undefined) return { status: 404 };
  histories.push(`${event.client}/${event.check}`);
  return { status: 200, body: historyOf(event.client, event.check, Number(asked.get('since'))) };
};

/** Opens the incident of the three critical `http-frontend` events and two `disk-root` warnings. */
async function openIncident(options: Pick<RigOptions, 'api' | 'columns' | 'rows' | 'theme'> = {}): Promise<ConsoleRig> {
  const rig = await openScene({ api, ...options });
  rig.type('/check=http-frontend or check=disk-root\r');
  await rig.showsNo('postgres-repl');
  rig.type('at');
  await rig.shows(/incident . 5 events/, 'web-003.eu-west-1/http-frontend', 'Operator actions');
  return rig;
}

test.each(sizesOf([{ view: 'incident' }]))('an incident is drawn at $columns x $rows', async ({ columns, rows }) => {
  const rig = await openIncident({ columns, rows });
  await expectGolden(rig.screen, `incident-${String(columns)}x${String(rows)}`);
  expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
});

test.each(LOOKS)('an incident matches its styled picture in $look', async ({ look, theme, styled }) => {
  const rig = await openIncident({ theme });
  await expectGolden(rig.screen, `incident-${look}`, { styled });
  expect(rig.row('http-frontend')).not.toBe('');
});

describe('an incident', () => {
  test('the steps of escalations are marked on the axis and listed above the actions of operators', async () => {
    const step = { handler: 'page', of: 3, targets: ['web-003/http'], count: 1 };
    const steps = [
      { ...step, at: NOW - 2 * MINUTE, step: 2, notified: ['ada'] },
      { ...step, at: NOW - 12 * MINUTE, step: 1, notified: ['chat'] },
    ];
    const rig = await openIncident({
      api: (request) => {
        const response = api(request);
        if (!request.path.startsWith('/api/mon/v1/report')) return response;
        return { status: 200, body: { ...SCENE_REPORT, escalations: { count: 2, steps } } };
      },
    });
    await rig.shows('Escalations  2', /E 11:58:00Z? .*page: step 2 of 3 notified ada  web-003\/http/);
    expect(rig.row(' actions')).toMatch(/E.*E/);
    const lines = rig.screen.lines.map((line) => line.trim());
    const [listed = -1, actions = -1] = ['Escalations', 'Operator actions'].map((title) =>
      lines.findIndex((line) => line.startsWith(title)),
    );
    expect(listed).toBeLessThan(actions);
  });

  test('the marked events are bars on one axis, and the one that failed first is at the top', async () => {
    const rig = await openIncident();
    const rows = rig.screen.lines.filter((line) => line.includes('eu-west-1/'));
    expect(rows[0]).toMatch(/! web-02\d.*disk-root/);
    expect(rows.at(4)).toMatch(/✗ web-0.*http-frontend/);
    expect(new Set(histories).size).toBe(5);
  });

  test('the time cursor shows all lists as of its minute, the incident stays open, and its end returns to live data', async () => {
    const rig = await openIncident();
    rig.type('h');
    await rig.shows('THE PAST 2026-11-20 11:59:00Z', 'incident › 5 events', '11:59:00Z ▼');
    rig.type('H');
    await rig.shows('THE PAST 2026-11-20 11:49:00Z', '11:49:00Z ▼');
    // At that minute only the warnings were open.
    expect(rig.row('web-003.eu-west-1/http-frontend')).toMatch(/ ✓ web-003/);
    expect(rig.row('web-020.eu-west-1/disk-root')).toMatch(/ ! web-020/);
    rig.escape();
    await rig.shows('old-1', 'THE PAST 2026-11-20 11:49:00Z');
    rig.type(':now\r');
    await rig.shows('LIVE');
    expect(rig.screen.text).not.toContain('old-1');
  });

  test('the time cursor beyond now returns to live data with the incident open', async () => {
    const rig = await openIncident();
    rig.type('h');
    await rig.shows('THE PAST');
    rig.type('l');
    await rig.shows('LIVE', 'incident › 5 events', 'now ▼');
    rig.type('l');
    await rig.shows('this is live data already');
    expect(rig.screen.text).not.toContain('THE PAST');
  });

  test('the key i in a storm shows the 40 events that began nearest to the one under the cursor, which is one of them', async () => {
    const rig = await openScene({ api });
    const [first] = SCENE_EVENTS;
    if (first === undefined) throw new Error('the scene has events');
    // The storm began a minute before the event under the cursor.
    const storm = Array.from({ length: 60 }, (_, index) =>
      Object.assign({}, first, { client: `storm-${String(index)}`, since: first.since - 60 - index }),
    );
    await rig.change({ events: byKey(storm) });
    await rig.shows('66 crit');
    rig.type('g');
    await rig.shows(/> .*db-014/);
    rig.type('i');
    await rig.shows('the nearest in time, 40 of', 'incident › 40 events', 'db-014.eu-west-1/postgres-repl');
    expect(histories).toContain('db-014.eu-west-1/postgres-repl');
  });

  test('the key i shows the events that began within five minutes of the one under the cursor', async () => {
    const rig = await openScene({ api });
    await rig.shows(/> .*db-014/);
    rig.type('i');
    await rig.shows('incident ›', 'db-014.eu-west-1/postgres-repl', 'web-003.eu-west-1/http-frontend');
    expect(rig.screen.text).not.toContain('disk-root');
  });
});
