import { eventOf, type ConsoleRig, type RigOptions, type SeenRequest } from './console-rig.ts';
import { openScene, SCENE, SCENE_EVENTS } from './console-scene.ts';
import { FEED_HELLO } from './feed-server.ts';

const NOW = FEED_HELLO.time / 1000;
const MINUTE = 60;

const REFUSED = 'the connection was refused';

/** Dead letters of the scene: notifications whose handler failed. */
export const SCENE_LETTERS = [
  letter(1763745000000000, 'pagerduty', 'db-014.eu-west-1', 'postgres-repl', { minutesAgo: 3, attempts: 5 }),
  letter(1763745000000001, 'pagerduty', 'web-003.eu-west-1', 'http-frontend', { minutesAgo: 4, attempts: 5 }),
  letter(1763745000000002, 'ticket', 'web-044.eu-west-1', 'load', {
    minutesAgo: 1500,
    attempts: 0,
    reason: 'its queue is full: 1,000 runs wait',
  }),
];

const VERDICTS = [
  {
    handler: 'audit',
    verdict: 'handle',
    reason: 'all conditions are met',
    delivery: { state: 'delivered', at: NOW - 3 * MINUTE, attempts: 1 },
  },
  {
    handler: 'pagerduty',
    verdict: 'handle',
    reason: 'all conditions are met',
    delivery: { state: 'failed', at: NOW - 3 * MINUTE, attempts: 5, reason: REFUSED },
  },
  {
    handler: 'ticket',
    verdict: 'filtered',
    reason: 'its filter office-hours keeps the event out: the attribute check.team is data',
    delivery: null,
  },
  { handler: 'slack-ops', verdict: 'unknown_handler', reason: 'no handler with this name is defined', delivery: null },
];

/** A simulated backend with dead letters; letters that are retried or dropped disappear. */
export interface HandlingBackend {
  readonly letters: {
    readonly id: number;
    readonly handler: string;
    readonly client: string;
    readonly check: string;
  }[];
  readonly api: NonNullable<RigOptions['api']>;
}

export function handlingBackend(): HandlingBackend {
  const letters = [...SCENE_LETTERS];
  return { letters, api: (request) => answerOf(letters, request) };
}

/** A dead letter for the notification of a group. */
export const GROUP_LETTER = {
  ...letter(1763745000000003, 'pager', 'web-003.eu-west-1', 'http-frontend', { minutesAgo: 2, attempts: 5 }),
  group: { label: 'client.rack=fra-12', events: 31 },
};

/** Opens the console with the events of the common scene, and with dead letters and explanations. */
export function openHandlingScene(options: RigOptions = {}): Promise<ConsoleRig> {
  return openScene({ api: handlingBackend().api, ...options });
}

function answerOf(letters: typeof SCENE_LETTERS, { method, path }: SeenRequest): ReturnType<HandlingBackend['api']> {
  const [, id] = /^\/api\/mon\/v1\/dead-letters\/(\d+)(?:\/retry)?$/.exec(path) ?? [];
  if (id !== undefined) return answerAbout(letters, Number(id), method);
  if (path === '/api/mon/v1/dead-letters') return { status: 200, body: letters };
  if (path.startsWith('/api/mon/v1/silenced/')) {
    const entry = SCENE.silenced?.[decodeURIComponent(path.split('/').at(-1) ?? '')];
    return { status: 200, body: { ...entry, expire: 2460, suppressed: 118, last_suppressed: NOW - 20 } };
  }
  const row = SCENE_EVENTS.find(({ client, check }) => path.endsWith(`/events/${client}/${check}`));
  if (row !== undefined) return { status: 200, body: eventOf(row, { interval: 30, command: 'check-postgres' }) };
  const explained = SCENE_EVENTS.find(({ client, check }) => path.endsWith(`/events/${client}/${check}/explain`));
  if (explained === undefined) return { status: 404 };
  const { client, check, status, action, occurrences, silenced_by } = explained;
  return {
    status: 200,
    body: {
      client,
      check,
      event: { id: '4b2e7a52', status, action, occurrences, silenced_by },
      reason: 'audit, pagerduty handle it, ticket, slack-ops do not',
      handlers: VERDICTS,
    },
  };
}

function answerAbout(letters: typeof SCENE_LETTERS, id: number, method: string): ReturnType<HandlingBackend['api']> {
  const at = letters.findIndex((candidate) => candidate.id === id);
  const found = letters[at];
  if (found === undefined) return { status: 404, body: { error: `there is no dead letter ${String(id)}` } };
  if (method === 'GET') {
    const row = SCENE_EVENTS.find(({ client }) => client === found.client);
    return { status: 200, body: { ...found, event: row === undefined ? {} : eventOf(row) } };
  }
  letters.splice(at, 1);
  return method === 'DELETE' ? { status: 204 } : { status: 200, body: { retried: 1 } };
}

function letter(
  id: number,
  handler: string,
  client: string,
  check: string,
  { minutesAgo, attempts, reason = REFUSED }: { minutesAgo: number; attempts: number; reason?: string },
): {
  readonly id: number;
  readonly handler: string;
  readonly client: string;
  readonly check: string;
  readonly queued_at: number;
  readonly failed_at: number;
  readonly attempts: number;
  readonly reason: string;
} {
  const failedAt = NOW - minutesAgo * MINUTE;
  return { id, handler, client, check, queued_at: failedAt - 40, failed_at: failedAt, attempts, reason };
}
