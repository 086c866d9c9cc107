import { CallbackClock } from '../support/callback-clock.ts';
import { AgentPeer } from '../support/agent-peer.ts';
import { send } from '../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';

/** The current time of the backend, in epoch seconds. */
export const NOW = 1_800_000_000;

const SETTINGS = {
  checks: {
    disk: { command: 'check-disk', interval: 60, subscribers: ['web'], aggregates: ['app', 'dc:1|web'] },
    http: { command: 'check-http', cron: '*/5 * * * *', subscribers: ['roundrobin:probes'], aggregate: 'app' },
    ping: {
      command: 'ping :::address:::',
      interval: 60,
      subscribers: ['probes'],
      proxy_requests: { client_attributes: { kind: 'router' } },
    },
    local: { command: 'check-local', interval: 60, standalone: true },
  },
};

/** Results that the agent of web-1 reports for its own checks, with attributes of the check definition. */
const AGENT_RESULTS = [
  {
    name: 'disk',
    output: 'full\n',
    status: 2,
    issued: NOW - 2,
    executed: NOW - 1,
    duration: 0.123,
    interval: 60,
    subscribers: ['web'],
    command: 'check-disk',
  },
  { name: 'load', output: 'load 0.1\n', status: 0, duration: 1, standalone: true, interval: 30, ttl: 90 },
];

/** Results that arrive over the API. Some have almost no attributes, like the results that scripts send. */
const SCRIPT_RESULTS = [
  { source: 'router-1', name: 'bgp', output: 'session down', status: 1 },
  { source: 'router-1', name: 'uptime', output: '', status: 0 },
  { source: 'router-1', name: 'http', output: 'refused', status: 2 },
  { name: 'backup', output: 'no backup', status: 3, ttl: 3600 },
  { name: 'custom', output: 'a status of its own', status: 127 },
  { source: 'db-1', name: 'queries', output: 'db.queries 12 1800000000', status: 0, type: 'metric' },
];

const SILENCES = [
  { subscription: 'client:web-1', check: 'disk', reason: 'known', creator: 'ops', expire: 3600 },
  { subscription: 'web', begin: NOW + 600, expire: 60, expire_on_resolve: true },
  { check: 'bgp' },
];

const STASHES = [
  { path: 'silence/web-1', content: { timestamp: NOW, reason: 'old way' } },
  { path: 'silence/web-1/disk', content: { timestamp: NOW }, expire: 600 },
  { path: 'with space', content: {} },
];

/** Starts a backend with data for every row of the checklist of client requests (clients 2), at a fixed time. */
export async function startScene(): Promise<RunningBackend> {
  const backend = await startBackend({ settings: SETTINGS, clock: new CallbackClock(() => NOW * 1000) });
  const agent = await AgentPeer.connect(backend.url, 'web-1');
  await agent.join('spool', { kind: 'server' });
  agent.say({ type: 'results', results: AGENT_RESULTS.map((check, at) => ({ id: at + 1, check })) });
  await agent.waitForAck(AGENT_RESULTS.length);
  agent.cut();
  await post(backend, '/clients', { name: 'db-1', address: '192.0.2.9', subscriptions: ['db'], environment: 'test' });
  for (const result of SCRIPT_RESULTS) await post(backend, '/results', result);
  for (const entry of SILENCES) await post(backend, '/silenced', entry);
  for (const stash of STASHES) await post(backend, '/stashes', stash);
  return backend;
}

async function post({ url }: RunningBackend, target: string, body: unknown): Promise<void> {
  const { status, text } = await send(url, { method: 'POST', target, body: JSON.stringify(body) });
  if (status >= 400) throw new Error(`${target} answered ${String(status)}: ${text}`);
}
