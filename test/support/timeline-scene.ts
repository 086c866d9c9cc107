import { eventKey } from '../../shared/domain/event-key.ts';
import type { CheckHistory } from '../../shared/schemas/availability.ts';
import type { Report } from '../../shared/schemas/report.ts';
import type { TimelinePage, TimelineRow } from '../../shared/schemas/timeline.ts';
import { eventOf, type ConsoleRig, type RigOptions, type SeenRequest } from './console-rig.ts';
import { openScene, SCENE_EVENTS } from './console-scene.ts';
import { FEED_HELLO } from './feed-server.ts';

const NOW = FEED_HELLO.time;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const OF_CHECK = { client: 'db-014.eu-west-1', check: 'postgres-repl' } as const;
const SILENCE = 'client:db-014.eu-west-1:postgres-repl';

/**
 * Transitions of one day, the newest first, with three outages: an open one, one that began as a warning, and a
 * silenced one.
 */
const ROWS: readonly TimelineRow[] = [
  row(3 * MINUTE, {
    kind: 'create',
    was: 0,
    status: 2,
    occurrences: 1,
    output: 'lag 184 s > 60 s, wal sender not streaming',
  }),
  row(5 * HOUR, { kind: 'resolve', was: 2, status: 0, occurrences: 60, by: 'alice@ops', output: 'ok' }),
  row(6 * HOUR, { kind: 'change', was: 1, status: 2, occurrences: 1, output: 'lag 75 s > 60 s' }),
  row(6.5 * HOUR, { kind: 'create', was: 0, status: 1, occurrences: 1, output: 'lag 45 s > 30 s' }),
  row(14 * HOUR, { kind: 'resolve', was: 2, status: 0, occurrences: 240, silenced_by: [SILENCE], output: 'ok' }),
  row(16 * HOUR, {
    kind: 'silence',
    silence: SILENCE,
    subscription: 'client:db-014.eu-west-1',
    creator: 'bob',
    reason: 'planned failover CHG-4398',
    end: NOW - 14 * HOUR,
  }),
  row(16.5 * HOUR, { kind: 'create', was: 0, status: 2, occurrences: 1, output: 'not streaming' }),
];

const PAST: CheckHistory = {
  since: NOW - 24 * HOUR,
  until: NOW,
  stretches: [
    { since: NOW - 24 * HOUR, until: NOW - 22 * HOUR },
    { since: NOW - 22 * HOUR, until: NOW - 16.5 * HOUR, status: 0 },
    { since: NOW - 16.5 * HOUR, until: NOW - 14 * HOUR, status: 2 },
    { since: NOW - 14 * HOUR, until: NOW - 6.5 * HOUR, status: 0 },
    { since: NOW - 6.5 * HOUR, until: NOW - 6 * HOUR, status: 1 },
    { since: NOW - 6 * HOUR, until: NOW - 5 * HOUR, status: 2 },
    { since: NOW - 5 * HOUR, until: NOW - 3 * MINUTE, status: 0 },
    { since: NOW - 3 * MINUTE, until: NOW, status: 2 },
  ],
  silenced: [{ since: NOW - 16 * HOUR, until: NOW - 14 * HOUR }],
  availability: {
    ok: (17.95 * HOUR) / 1000,
    warning: (0.5 * HOUR) / 1000,
    critical: (1.55 * HOUR) / 1000,
    unknown: 0,
    silenced: (2 * HOUR) / 1000,
    no_data: (2 * HOUR) / 1000,
    outages: 3,
    percent: 89.75,
  },
};

/** The report of a night shift, with open and resolved events. */
export const SCENE_REPORT: Report = {
  since: NOW - 12 * HOUR,
  until: NOW,
  complete_since: NOW - 12 * HOUR,
  truncated: false,
  total: { checks: 5, clients: 4, outages: 9, down: 20_700 },
  open: {
    count: 2,
    checks: [
      open('mq-002.eu-west-1', 'queue-depth', 2 * HOUR, 'depth 91,204 > 50,000 (orders.retry)', {
        silences: [
          { id: 'client:mq-002.eu-west-1:queue-depth', acknowledged: true, who: 'alice@ops', reason: 'acknowledged' },
        ],
      }),
      open('db-014.eu-west-1', 'postgres-repl', 3 * MINUTE, 'lag 184 s > 60 s, wal sender not streaming'),
    ],
  },
  open_over_time: openOverTime(150),
  resolved: {
    count: 140,
    checks: [
      {
        ...open('web-003.eu-west-1', 'http-frontend', 8 * HOUR, 'connect timeout after 10 s'),
        status: 0,
        ended: NOW - 6 * HOUR,
        outages: 5,
        down: 5400,
        silenced: 1200,
      },
    ],
  },
  inhibited: { checks: 0, count: 0, causes: [] },
  noisiest: [
    { check: 'http-frontend', outages: 6, clients: 3, client: 'web-003.eu-west-1', client_outages: 5 },
    { check: 'postgres-repl', outages: 1, clients: 1, client: 'db-014.eu-west-1', client_outages: 1 },
  ],
  actions: {
    count: 2,
    actions: [
      {
        at: NOW - HOUR,
        who: 'alice@ops',
        action: 'acknowledged',
        targets: ['mq-002.eu-west-1/queue-depth'],
        count: 1,
        reason: 'acknowledged',
      },
      {
        at: NOW - 8 * HOUR,
        who: 'bob',
        action: 'silenced',
        targets: ['web:http-frontend', 'web-eu:http-frontend'],
        count: 7,
        reason: 'roll-out CHG-4401',
        end: NOW - 7 * HOUR,
      },
    ],
  },
  changes: {
    count: 1,
    changes: [
      {
        id: 812,
        at: NOW - 9 * HOUR,
        who: 'carol',
        action: 'definition.change',
        target: 'checks/http-frontend',
        reason: null,
      },
    ],
  },
};

/** Opens the console with the events of the common scene, and a backend that has the timeline of this scene. */
export function openTimelineScene(options: RigOptions = {}): Promise<ConsoleRig> {
  return openScene({ api: timelineApi, ...options });
}

/** Answers the requests for the timeline, the report and the events of the scene. */
export function timelineApi({ path }: SeenRequest): { status: number; body?: unknown } {
  const [name = '', query = ''] = path.split('?');
  const asked = new URLSearchParams(query);
  if (name === '/api/mon/v1/report') return { status: 200, body: SCENE_REPORT };
  if (name === `/api/mon/v1/timeline/${eventKey(OF_CHECK.client, OF_CHECK.check)}`) return { status: 200, body: PAST };
  if (name === '/api/mon/v1/timeline') {
    if (asked.get('q') === 'colour=red') {
      return { status: 400, body: { error: 'q: colour is no field (at character 1)', code: 'invalid' } };
    }
    const rows = asked.get('q') === 'kind=resolve' ? ROWS.filter(({ kind }) => kind === 'resolve') : ROWS;
    return {
      status: 200,
      body: { transitions: rows, next: null, retained_since: NOW - 22 * HOUR } satisfies TimelinePage,
    };
  }
  const event = SCENE_EVENTS.find(({ client, check }) => name.endsWith(`/events/${client}/${check}`));
  return event === undefined ? { status: 404 } : { status: 200, body: eventOf(event) };
}

function row(agoMs: number, more: Partial<TimelineRow> & Pick<TimelineRow, 'kind'>): TimelineRow {
  const at = NOW - agoMs;
  const { client, check } = OF_CHECK;
  return { id: at * 1000, at, ...(more.silence === undefined && { client }), check, ...more };
}

/**
 * Returns the numbers of open problems in 288 periods, of which the first 24 are before the stored history: few
 * problems, a storm that rises within an hour, and its end.
 */
export function openOverTime(period: number): NonNullable<Report['open_over_time']> {
  return {
    period,
    critical: openNumbers((index) => 3 + Math.round(104 * Math.max(0, 1 - Math.abs(index - 200) / 24))),
    warning: openNumbers((index) => 12 + (index % 40 < 20 ? 6 : 0)),
    unknown: openNumbers((index) => (index > 150 ? 4 : 0)),
  };
}

function openNumbers(count: (index: number) => number): (number | null)[] {
  return Array.from({ length: 288 }, (_, index) => (index < 24 ? null : count(index)));
}

function open(
  client: string,
  check: string,
  agoMs: number,
  output: string,
  more: Partial<Report['open']['checks'][number]> = {},
): Report['open']['checks'][number] {
  return {
    client,
    check,
    status: 2,
    worst: 2,
    began: NOW - agoMs,
    ended: null,
    outages: 1,
    down: agoMs / 1000,
    silenced: 0,
    output,
    silences: [],
    ...more,
  };
}
