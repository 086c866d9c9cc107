import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../shared/schemas/feed.ts';

/** The backend that an attack is sent to. */
export interface AttackTarget {
  readonly url: string;
  /** URL of the listener for agents of Sensu Go. */
  readonly agentUrl: string;
}

/** An attack: requests or messages whose cost for the backend the sender chooses. */
export interface Attack {
  readonly name: string;
  /** Prepares the backend for the attack. The stalls during the preparation are not measured. */
  readonly prepare?: (target: AttackTarget) => Promise<void>;
  readonly send: (target: AttackTarget) => Promise<void>;
  /** Maximum CPU time of one event loop iteration in milliseconds, if this attack cannot meet the usual limit. */
  readonly longestMs?: number;
}

const BULK_PATH = '/api/mon/v1/bulk';
const RESULTS_PATH = '/api/mon/v1/results';
const BATCH_OPERATIONS = 10_000;
const MIB_BYTES = 1024 * 1024;

/** Sends a request and reads its complete response, regardless of its status. */
async function sendRequest(
  { url }: Pick<AttackTarget, 'url'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = await fetch(url + path, {
    method,
    ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json', ...headers } }),
  });
  await answer.arrayBuffer();
}

function buildList<Item>(length: number, item: (at: number) => Item): Item[] {
  return Array.from({ length }, (_, at) => item(at));
}

/** Returns a selector of about 880 characters that no index can speed up. */
function costlySelector(at: number): string {
  const terms = buildList(60, (term) => `check~*h${String(term)}*k${String(at % 10)}?`).join(' or ');
  return `client~*N${String(at)}zz* or (${terms.slice(0, terms.lastIndexOf(' or ', 850))})`;
}

function silencesBody(count: number, fieldsOf: (at: number) => object): string {
  return JSON.stringify({
    operations: buildList(count, (at) => ({ op: 'silence', reason: 'bench', ...fieldsOf(at) })),
  });
}

const CLEAR_ALL_BODY = JSON.stringify({
  operations: buildList(BATCH_OPERATIONS, (at) => ({ op: 'clear', id: `*:bulk-${String(at)}` })),
});

function resultsBody(count: number, fieldsOf: (at: number) => object): string {
  return JSON.stringify(
    buildList(count, (at) => ({
      name: `batch-${String(at % 100)}`,
      source: `batch-${String(at % 1000)}`,
      output: 'x',
      ...fieldsOf(at),
    })),
  );
}

/** Returns the JSON of one result with a large attribute. */
function largeResultBody(attribute: string): string {
  return `[{"name":"large","source":"web-1","status":0,"output":"x",${attribute}}]`;
}

async function openSocket(url: string, protocol: string | undefined, headers = {}): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'), protocol, { perMessageDeflate: false, headers });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

/** Sends frames, and waits until the backend has responded to a ping sent after them, or has closed the connection. */
async function sendFrames(socket: WebSocket, frames: readonly string[]): Promise<void> {
  for (const frame of frames) socket.send(frame);
  socket.ping();
  await Promise.race([once(socket, 'pong'), once(socket, 'close')]);
  await sleep(300);
  socket.terminate();
}

function agentAttack(name: string, frames: readonly string[]): Attack {
  return {
    name,
    async send({ url }) {
      const socket = await openSocket(url + AGENT_PATH, AGENT_PROTOCOL);
      const client = { name: 'attacker', address: '127.0.0.1', subscriptions: ['bench'] };
      socket.send(JSON.stringify({ type: 'hello', client, spool: `stalls-${String(Math.random())}` }));
      await Promise.race([once(socket, 'message'), once(socket, 'close')]);
      await sendFrames(socket, frames);
    },
  };
}

function feedAttack(name: string, frames: readonly string[]): Attack {
  return {
    name,
    send: async ({ url }) => sendFrames(await openSocket(url + FEED_PATH, FEED_PROTOCOL), frames),
  };
}

function v2AgentAttack(name: string, frame: string): Attack {
  return {
    name,
    async send({ agentUrl }) {
      const headers = {
        Authorization: `Basic ${Buffer.from('agent:P@ssw0rd!').toString('base64')}`,
        'Sensu-AgentName': 'v2-attacker',
        'Sensu-Namespace': 'default',
        'Sensu-User': 'agent',
        'Sensu-Subscriptions': 'bench',
      };
      const socket = await openSocket(agentUrl, undefined, headers);
      const timestamp = Math.floor(Date.now() / 1000);
      const entity = { metadata: { name: 'v2-attacker', namespace: 'default' }, entity_class: 'agent' };
      await sendFrames(socket, [`keepalive\n${JSON.stringify({ entity, timestamp })}`, frame]);
    },
  };
}

function postAttack(name: string, path: string, body: string | (() => string), prepare?: Attack['prepare']): Attack {
  return {
    name,
    ...(prepare && { prepare }),
    send: (target) => sendRequest(target, 'POST', path, typeof body === 'string' ? body : body()),
  };
}

function getAttack(name: string, path: string): Attack {
  return { name, send: (target) => sendRequest(target, 'GET', path) };
}

/** Returns an attack that sends `count` GET requests concurrently. */
function concurrentGetAttack(name: string, count: number, path: (at: number) => string): Attack {
  return {
    name,
    send: async (target) => void (await Promise.all(buildList(count, (at) => sendRequest(target, 'GET', path(at))))),
  };
}

/**
 * Returns an attack that sends pipelined requests on many connections and reads no response. In one event loop
 * iteration, Node.js parses everything that has arrived on all connections, about 15 us per request; on a busy machine,
 * that is all requests. Responding to 40,000 requests takes far longer, and the backend divides that work into chunks.
 */
function pipelinedAttack(name: string, connections: number, each: number, path: string): Attack {
  return {
    name,
    longestMs: 1000,
    async send({ url }) {
      const { hostname, port } = new URL(url);
      const text = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(each);
      const sockets = buildList(connections, () => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on('error', () => undefined);
        socket.pause();
        socket.write(text);
        return socket;
      });
      await sleep(4000);
      for (const socket of sockets) socket.destroy();
      await sleep(200);
    },
  };
}

const FRACTIONS_JSON = `"a":[${'1.0,'.repeat(1_000_000)}1]`;
const OBJECTS_JSON = `"a":[${'{"a":1.0},'.repeat(500_000)}1]`;

/** The attacks from a security review (security S7). */
export const REVIEWED_ATTACKS: readonly Attack[] = [
  postAttack('preview of 1,000 costly selectors', '/api/mon/v1/silenced/preview', () =>
    JSON.stringify({ entries: buildList(1000, (at) => ({ selector: costlySelector(at) })) }),
  ),
  {
    name: 'GET events after 5 bulks of 1,000 costly selectors',
    async prepare(target) {
      for (let round = 0; round < 5; round++) {
        await sendRequest(
          target,
          'POST',
          BULK_PATH,
          silencesBody(1000, (at) => ({ selector: costlySelector(round * 1000 + at) })),
        );
      }
    },
    send: (target) => sendRequest(target, 'GET', '/api/mon/v1/events'),
  },
  postAttack('500 new checks after them', RESULTS_PATH, () =>
    resultsBody(500, (at) => ({ name: `h${String(at)}0k1x${String(Date.now())}`, status: 2 })),
  ),
  postAttack('bulk of 8,000 ordinary selectors', BULK_PATH, () =>
    silencesBody(8000, (at) => ({ selector: `client~web-*-N${String(at)} env=prod check!=backup` })),
  ),
  getAttack('GET events with them', '/api/mon/v1/events'),
  postAttack('bulk of 10,000 recurring silences', BULK_PATH, () =>
    silencesBody(BATCH_OPERATIONS, (at) => ({
      check: `bulk-${String(at)}`,
      recurrence: { schedule: '0 0 29 2 *', time_zone: 'America/New_York', duration: 3600 },
    })),
  ),
  postAttack('raw control characters of 15 MB', RESULTS_PATH, () =>
    largeResultBody(`"a":"${'\u0001'.repeat(15 * MIB_BYTES)}"`),
  ),
  postAttack('a million fractions', RESULTS_PATH, () => largeResultBody(FRACTIONS_JSON)),
  postAttack('500,000 objects with fractions', RESULTS_PATH, () => largeResultBody(OBJECTS_JSON)),
  postAttack('seven million brackets', RESULTS_PATH, () => '['.repeat(7_000_000)),
  agentAttack('seven million brackets in a frame of an agent', ['['.repeat(7_000_000)]),
];

const SELECTOR_SEARCH = encodeURIComponent(
  buildList(40, (at) => `client~*N${String(at)}z* or check~*h?${String(at)}k*`).join(' or '),
);

/** Attacks that were added to those of the security review. */
export const ADDED_ATTACKS: readonly Attack[] = [
  postAttack('bulk of 10,000 silences', BULK_PATH, () =>
    silencesBody(BATCH_OPERATIONS, (at) => ({ check: `bulk-${String(at)}` })),
  ),
  postAttack('bulk of 10,000 clears', BULK_PATH, CLEAR_ALL_BODY),
  postAttack('bulk of 10,000 resolves', BULK_PATH, () =>
    JSON.stringify({
      operations: buildList(BATCH_OPERATIONS, (at) => ({
        op: 'resolve',
        client: `web-${String(at % 1000)}`,
        check: `check-${String(Math.floor(at / 1000))}`,
      })),
    }),
  ),
  postAttack('bulk of 10,000 wrong operations', BULK_PATH, () =>
    silencesBody(BATCH_OPERATIONS, () => ({ check: 'a b' })),
  ),
  postAttack('10,000 passing results', RESULTS_PATH, () => resultsBody(BATCH_OPERATIONS, () => ({ status: 0 }))),
  postAttack('10,000 failing results', RESULTS_PATH, () => resultsBody(BATCH_OPERATIONS, () => ({ status: 2 }))),
  postAttack('10,000 results of new clients', RESULTS_PATH, () =>
    resultsBody(BATCH_OPERATIONS, (at) => ({ source: `new-${String(Date.now())}-${String(at)}`, status: at % 2 })),
  ),
  postAttack('10,000 invalid results', RESULTS_PATH, () =>
    resultsBody(BATCH_OPERATIONS, () => ({ name: 'a b', status: 'x' })),
  ),
  postAttack('1 MB of an own attribute in an array', RESULTS_PATH, () =>
    largeResultBody(`"a":[${'0,'.repeat(500_000)}0]`),
  ),
  postAttack('objects with 10,000 names', RESULTS_PATH, () =>
    largeResultBody(`"a":{${buildList(10_000, (at) => `"n${String(at)}":${String(at)}`).join(',')}}`),
  ),
  postAttack('a stash of 1 MB', '/stashes/large', () => `{"a":[${'[],'.repeat(300_000)}0]}`),
  postAttack('a client of 1 MB', '/clients', () =>
    JSON.stringify({
      name: 'large',
      address: '127.0.0.1',
      subscriptions: buildList(1000, (at) => `s-${String(at)}`),
      extra: buildList(40_000, (at) => `value ${String(at)}`),
    }),
  ),
  postAttack('simulate with 1 MB of attributes', '/api/mon/v1/simulate', () =>
    JSON.stringify({
      name: 'large',
      status: 1,
      output: 'x'.repeat(500_000),
      extra: buildList(30_000, (at) => ({ at })),
    }),
  ),
  postAttack('restore of 100 checks of 100 kB', '/api/mon/v1/restore', () =>
    JSON.stringify({
      objects: buildList(100, (at) => ({
        type: 'CheckConfig',
        api_version: 'core/v2',
        metadata: {
          name: `restored-${String(at)}`,
          namespace: 'default',
          labels: Object.fromEntries(buildList(500, (label) => [`l${String(label)}`, 'x'.repeat(100)])),
        },
        spec: {
          command: 'true',
          subscriptions: buildList(1000, (sub) => `s-${String(sub)}`),
          interval: 60,
          publish: true,
        },
      })),
    }),
  ),
  postAttack('10,000 alerts of Prometheus', '/api/v2/alerts', () =>
    JSON.stringify(
      buildList(BATCH_OPERATIONS, (at) => ({
        labels: {
          alertname: `Alert${String(at % 100)}`,
          instance: `host-${String(at)}:9100`,
          severity: 'critical',
          job: 'node',
        },
        annotations: { summary: `something is wrong with ${String(at)}` },
      })),
    ),
  ),
  getAttack('GET alerts', '/api/v2/alerts'),
  getAttack('GET alert groups', '/api/v2/alerts/groups'),
  getAttack(
    'GET alerts by an expression',
    `/api/v2/alerts?filter=${encodeURIComponent(`instance=~"${'(a|b)?'.repeat(50)}.*c"`)}`,
  ),
  postAttack('a silence of 100 expressions of Alertmanager', '/api/v2/silences', () =>
    JSON.stringify({
      matchers: buildList(100, (at) => ({
        name: 'instance',
        value: `${'(a|b)*'.repeat(20)}${String(at)}.*`,
        isRegex: true,
        isEqual: true,
      })),
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + 3_600_000).toISOString(),
      createdBy: 'bench',
      comment: 'bench',
    }),
  ),
  concurrentGetAttack(
    '30 searches of the timeline that find nothing',
    30,
    () => '/api/mon/v1/timeline?q=nothing-at-all&limit=1000',
  ),
  concurrentGetAttack('30 lists of the timeline', 30, () => '/api/mon/v1/timeline?limit=1000'),
  concurrentGetAttack('10 reports', 10, () => '/api/mon/v1/report'),
  concurrentGetAttack('10 availabilities', 10, () => '/api/mon/v1/availability'),
  concurrentGetAttack(
    '10 states of the past',
    10,
    () => `/api/mon/v1/timeline/state?at=${String(Math.floor(Date.now() / 1000) - 1)}`,
  ),
  getAttack('GET results of v1', '/results'),
  concurrentGetAttack('20 pages of results of v1', 20, () => '/results?limit=100'),
  concurrentGetAttack('20 pages of results at the end', 20, () => '/results?limit=100&offset=99000'),
  concurrentGetAttack('20 pages of events of v1', 20, () => '/events?limit=100'),
  concurrentGetAttack('20 pages of events', 20, () => '/api/mon/v1/events?limit=100'),
  concurrentGetAttack('20 sorted pages of events', 20, () => '/api/mon/v1/events?limit=100&sort=-since,client'),
  getAttack('a search of events', '/api/mon/v1/events?q=nothing-at-all'),
  getAttack('a costly search of events', `/api/mon/v1/events?q=${SELECTOR_SEARCH}`),
  getAttack('a search of results', '/api/mon/v1/results?q=nothing-at-all&limit=10'),
  getAttack('a search of clients', '/api/mon/v1/clients?q=nothing-at-all&limit=10'),
  concurrentGetAttack('20 lists of clients', 20, () => '/api/mon/v1/clients?limit=100'),
  concurrentGetAttack('20 lists of clients of v1', 20, () => '/clients?limit=100'),
  getAttack('one filter of results', '/results?filter.check.team=operations&limit=10'),
  getAttack('GET silenced', '/api/mon/v1/silenced'),
  concurrentGetAttack('20 pages of silenced', 20, () => '/api/mon/v1/silenced?limit=10'),
  concurrentGetAttack('20 pages of silenced of v1', 20, () => '/silenced?limit=10'),
  getAttack('GET aggregates', '/api/mon/v1/aggregates'),
  getAttack('GET an aggregate', '/api/mon/v1/aggregates/all'),
  concurrentGetAttack('20 aggregates by age', 20, () => '/aggregates/all?max_age=3600'),
  concurrentGetAttack('20 pages of the members of an aggregate', 20, () => '/aggregates/all/clients?limit=10'),
  concurrentGetAttack(
    '20 pages of the critical results of an aggregate',
    20,
    () => '/api/mon/v1/aggregates/all/results/critical?limit=10',
  ),
  concurrentGetAttack('20 lists of checks', 20, () => '/api/mon/v1/checks?limit=10'),
  concurrentGetAttack('20 results of a check', 20, () => '/api/mon/v1/checks/check-1/results?limit=10'),
  concurrentGetAttack('20 overviews', 20, () => '/api/mon/v1/overview'),
  concurrentGetAttack('20 metrics', 20, () => '/metrics'),
  concurrentGetAttack('20 metrics of checks', 20, () => '/metrics/checks'),
  concurrentGetAttack('5 deep healths', 5, () => '/health?deep=1'),
  concurrentGetAttack('20 lists of entities', 20, () => '/api/core/v2/namespaces/default/entities?limit=10'),
  concurrentGetAttack('20 lists of events of Sensu Go', 20, () => '/api/core/v2/namespaces/default/events?limit=10'),
  getAttack(
    'a label selector of events',
    `/api/core/v2/namespaces/default/events?limit=10&labelSelector=${encodeURIComponent('nothing == "x"')}`,
  ),
  concurrentGetAttack('20 pages of the audit trail', 20, () => '/api/mon/v1/audit?limit=1000'),
  concurrentGetAttack('20 details of a client', 20, () => '/api/mon/v1/clients/web-1'),
  concurrentGetAttack('20 explanations', 20, () => '/api/mon/v1/events/web-1/check-1/explain'),
  postAttack('preview of 1,000 entries by name', '/api/mon/v1/silenced/preview', () =>
    JSON.stringify({ entries: buildList(1000, (at) => ({ check: `check-${String(at)}` })) }),
  ),
  pipelinedAttack('GET events sent ahead 100 times on 400 connections', 400, 100, '/events'),
  pipelinedAttack('GET results sent ahead 100 times on 400 connections', 400, 100, '/results?limit=100'),
  agentAttack('a frame of 16 MB with 1,000 results', [
    JSON.stringify({
      type: 'results',
      results: buildList(1000, (at) => ({
        id: at + 1,
        check: { name: `a-${String(at)}`, status: 0, output: 'x'.repeat(15_000) },
      })),
    }),
  ]),
  agentAttack('a frame of 15 MB of one text', [
    JSON.stringify({
      type: 'results',
      results: [{ id: 1, check: { name: 'a', status: 0, output: 'x'.repeat(15_000_000) } }],
    }),
  ]),
  agentAttack('a frame of three million values', [
    `{"type":"results","results":[{"id":1,"check":{"name":"a","status":0,"output":"x","v":[${'{},'.repeat(3_000_000)}0]}}]}`,
  ]),
  agentAttack(
    '100 frames of 1,000 results',
    buildList(100, (frame) =>
      JSON.stringify({
        type: 'results',
        results: buildList(1000, (at) => ({
          id: frame * 1000 + at + 1,
          check: { name: `a-${String(at)}`, status: frame % 2, output: 'x' },
        })),
      }),
    ),
  ),
  agentAttack('a keepalive of 10 MB', [
    JSON.stringify({
      type: 'keepalive',
      client: { name: 'attacker', address: 'a', subscriptions: [], v: buildList(1_000_000, (at) => ({ at })) },
    }),
  ]),
  v2AgentAttack(
    'a frame of 2 MB of an agent of Sensu Go',
    `event\n${JSON.stringify({ check: { metadata: { name: 'x' }, status: 0, v: buildList(600_000, () => []) } })}`,
  ),
  feedAttack(
    'frames of 64 kB of the feed',
    buildList(100, () => JSON.stringify({ type: 'subscribe', topics: buildList(20_000, () => '') })),
  ),
  feedAttack('a snapshot of everything', [
    JSON.stringify({ type: 'subscribe', topics: ['events', 'clients', 'silenced', 'aggregates'] }),
  ]),
];
