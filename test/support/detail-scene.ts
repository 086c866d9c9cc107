import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { EventExplanation } from '../../shared/schemas/explain.ts';
import { eventOf, type ConsoleRig, type RigOptions, type SeenRequest } from './console-rig.ts';
import { openScene, SCENE_EVENTS } from './console-scene.ts';
import { FEED_HELLO } from './feed-server.ts';
import { SERIES, SERIES_PATH } from './series-scene.ts';
import { timelineApi } from './timeline-scene.ts';

const NOW = FEED_HELLO.time / 1000;

const OUTPUT = `lag 184 s > 60 s, wal sender not streaming
replica=db-015 state=catchup sent=5A/3C001230 replay=59/FF0003A8
${Array.from({ length: 40 }, (_, index) => `slot ${String(index + 1)}: restart_lsn=59/FF${String(index).padStart(6, '0')}, inactive for 3 minutes`).join('\n')}`;

const HANDLERS: EventExplanation['handlers'] = [
  {
    handler: 'audit',
    verdict: 'filtered',
    reason: 'filtered by occurrences: only handling every 60 occurrences',
    filter: 'occurrences',
    delivery: { state: 'delivered', at: NOW - 180, attempts: 1 },
    notified: true,
    next_occurrence: 60,
  },
  {
    handler: 'pagerduty',
    verdict: 'filtered',
    reason: 'filtered by occurrences: only handling every 60 occurrences',
    filter: 'occurrences',
    delivery: { state: 'failed', at: NOW - 170, attempts: 5, reason: 'the connection was refused' },
    notified: true,
    next_occurrence: 60,
  },
];

/** Opens the console with the events of the common scene, and a backend that knows all details of the first event. */
export function openDetailScene(options: RigOptions = {}): Promise<ConsoleRig> {
  return openScene({ api: detailApi, ...options });
}

/** Answers the requests about the events of the scene: with output, handlers, timeline and operator actions. */
export function detailApi(request: SeenRequest): ReturnType<NonNullable<RigOptions['api']>> {
  const [path = ''] = request.path.split('?');
  if (path === SERIES_PATH) return { status: 200, body: SERIES };
  if (path === '/api/mon/v1/audit') return { status: 200, body: [AN_HOUR_AGO] };
  if (path === '/api/mon/v1/checks/postgres-repl') {
    return { status: 200, body: { name: 'postgres-repl', next_run: NOW + 11, clients: {} } };
  }
  const explained = SCENE_EVENTS.find(({ client, check }) => path.endsWith(`/events/${client}/${check}/explain`));
  if (explained !== undefined) {
    const { client, check, status, action, occurrences, silenced_by } = explained;
    const event = { id: '4b2e7a52', status, action, occurrences, silenced_by };
    const reason = 'no handler runs: filtered by occurrences: only handling every 60 occurrences';
    return { status: 200, body: { client, check, event, reason, handlers: HANDLERS } };
  }
  const [first] = SCENE_EVENTS;
  if (first !== undefined && path.endsWith(`/events/${first.client}/${first.check}`)) {
    const command = 'check-postgres-replication -w 30 -c 60';
    return { status: 200, body: eventOf(first, { interval: 30, command, output: OUTPUT }) };
  }
  return timelineApi(request);
}

const AN_HOUR_AGO: AuditRecord = {
  id: 7,
  at: FEED_HELLO.time - 3_600_000,
  who: 'alice@ops',
  from: '127.0.0.1',
  how: 'POST /request',
  action: 'check.request',
  target: 'postgres-repl',
  before: null,
  after: { subscribers: ['client:db-014.eu-west-1'] },
  reason: 'run now, from the console',
  previous: '',
  hash: '',
};
