/** @module-tag slow */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Explanation } from '../../../shared/schemas/explain.ts';
import { PEER_PIECES_PATH, PEER_RUNS_PATH } from '../../../shared/schemas/peer-run.ts';
import { administratorOf } from '../../support/administrator.ts';
import { FeedPeer } from '../../support/feed-peer.ts';
import type { RunningBackend } from '../../support/running-backend.ts';
import { peerKeyFile, postgresOfFile, startSharing } from '../../support/shared-database.ts';
import { startDaemon, type DaemonProcess } from '../../support/start-daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Tests of handlers in a cluster, in which every member runs handlers. */

const server = postgresOfFile();

type Settings = Readonly<Record<string, unknown>>;

/** Starts a member as a separate process, so that the test can kill it. */
async function program(database: string, settings: Settings = {}): Promise<DaemonProcess> {
  const file = join(await tempDir(), 'config.json');
  await writeFile(file, JSON.stringify({ 'peer-key-file': await peerKeyFile(), ...settings }));
  const stateDir = await tempDir();
  const daemon = await startDaemon({ stateDir, args: ['--config', file], env: { MON_STORE: database } });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

interface Delivered {
  readonly id: string | undefined;
  readonly check: string;
  readonly status: number;
  readonly answer: ServerResponse;
}

/** A webhook receiver that responds at once, or only when the test releases its requests. */
class Receiver {
  readonly received: Delivered[] = [];
  isHolding = false;
  readonly url: string;

  private constructor(url: string) {
    this.url = url;
  }

  static async open(): Promise<Receiver> {
    const listener = createServer((request, answer) => {
      void (async () => {
        const { check } = JSON.parse(await text(request)) as { check: { name: string; status: number } };
        const id = request.headers['x-mon-delivery'];
        receiver.received.push({ id: String(id), check: check.name, status: check.status, answer });
        if (!receiver.isHolding) answer.writeHead(204).end();
      })();
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    onTestFinished(async () => {
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
    });
    const receiver = new Receiver(`http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/hook`);
    return receiver;
  }

  /** Responds to all waiting requests, and to later requests at once. */
  release(): void {
    this.isHolding = false;
    for (const { answer } of this.received) if (!answer.headersSent) answer.writeHead(204).end();
  }

  /** The number of requests that the receiver got, by check. */
  get times(): ReadonlyMap<string, number> {
    return new Map([...Map.groupBy(this.received, ({ check }) => check)].map(([check, all]) => [check, all.length]));
  }
}

const webhook = ({ url }: Receiver): Settings => ({ handlers: { default: { type: 'webhook', url, timeout: 60 } } });

async function report({ url }: { readonly url: string }, name: string, status = 2): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ source: 'web', name, output: 'x', status });
  expect((await fetch(`${url}/results`, { method: 'POST', headers, body })).status).toBe(202);
}

async function elsewhere({ url }: { readonly url: string }): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^mon_handler_runs_remote_total (\d+)$/m.exec(metrics)?.[1]);
}

const RAN_ELSEWHERE = 'handler ran on another member';

const ranElsewhere = (backend: RunningBackend): (string | undefined)[] => ranElsewhereOf(backend, '');

/** Returns the members that ran handlers for the leader, for checks whose names begin with this text. */
const ranElsewhereOf = ({ log }: RunningBackend, begin: string): (string | undefined)[] =>
  log.records
    .filter(({ message, fields }) => message === RAN_ELSEWHERE && String(fields['check']).startsWith(begin))
    .map(({ fields }) => fields['member'] as string);

/** Sends events until the handlers of the leader have run on this many other members. */
async function untilSpread(writer: RunningBackend, members: number): Promise<void> {
  let count = 0;
  await vi.waitFor(
    async () => {
      await report(writer, `before-${String(count++)}`);
      expect(new Set(ranElsewhere(writer)).size).toBe(members);
    },
    { interval: 100 },
  );
}

const outputs = ({ log }: RunningBackend): number =>
  log.records.filter(({ message }) => message === 'handler output').length;

test('notifications are spread over the leader and the followers, and each is sent once', async () => {
  const receiver = await Receiver.open();
  const database = await server().database();
  const writer = await startSharing(database, webhook(receiver));
  await startSharing(database, webhook(receiver));
  await startSharing(database, webhook(receiver));
  await untilSpread(writer, 2);
  await vi.waitFor(() => expect(receiver.received).not.toHaveLength(0));
  receiver.isHolding = true;
  for (let at = 0; at < 9; at++) await report(writer, `held-${String(at)}`);
  await vi.waitFor(() => expect([...receiver.times.keys()].filter((name) => name.startsWith('held'))).toHaveLength(9));
  receiver.release();
  await vi.waitFor(() => expect(ranElsewhereOf(writer, 'held')).toHaveLength(6));
  const last = Map.groupBy(ranElsewhereOf(writer, 'held'), (name) => name);
  expect([...last.values()].map(({ length }) => length)).toEqual([3, 3]);
  expect([...receiver.times.values()].every((times) => times === 1)).toBe(true);
  expect(await elsewhere(writer)).toBe(ranElsewhere(writer).length);
});

test('a handler command runs on the follower that it is assigned to if the follower has the same definitions', async () => {
  const file = join(await tempDir(), 'events');
  const database = await server().database();
  const definitions = {
    mutators: { shout: { command: 'tr a-z A-Z' } },
    handlers: { default: { type: 'pipe', command: `cat >> ${file}; echo >> ${file}`, mutator: 'shout' } },
  };
  const writer = await startSharing(database, { 'run-handlers': false, ...definitions });
  const other = await startSharing(database, definitions);
  await untilSpread(writer, 1);
  const before = outputs(writer);
  await report(writer, 'disk');
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('"NAME":"DISK"'));
  expect(outputs(writer)).toBe(before);
  await vi.waitFor(() => expect(outputs(other)).toBe(ranElsewhere(writer).length));
  const path = '/api/mon/v1/events/web/disk/explain';
  const delivery = async (): Promise<unknown> =>
    ((await (await fetch(`${writer.url}${path}`)).json()) as Explanation).handlers[0]?.delivery;
  await vi.waitFor(async () =>
    expect(await delivery()).toMatchObject({
      state: 'delivered',
      member: expect.stringContaining(new URL(other.url).port) as string,
    }),
  );
});

test('a notification that fails on another backend is retried there and becomes a dead letter', async () => {
  const database = await server().database();
  const retry = { attempts: 2, delay: 0.01, max_delay: 0.01 };
  const handlers = { default: { type: 'pipe', command: 'exit 3', retry } };
  const writer = await startSharing(database, { 'run-handlers': false, handlers });
  const other = await startSharing(database, { handlers });
  let count = 0;
  await vi.waitFor(async () => {
    await report(writer, `before-${String(count++)}`);
    expect(outputs(other)).toBeGreaterThan(0);
  });
  await report(writer, 'last');
  const headers = administratorOf(writer.url);
  const letters = async (): Promise<unknown> =>
    (await fetch(`${writer.url}/api/mon/v1/dead-letters`, { headers })).json();
  const letter: unknown = expect.objectContaining({ check: 'last', attempts: 2, reason: 'it exited with 3' });
  await vi.waitFor(async () => expect(await letters()).toContainEqual(letter));
});

test('the notifications of one check keep their order on whichever members they run', async () => {
  const receiver = await Receiver.open();
  const database = await server().database();
  const writer = await startSharing(database, webhook(receiver));
  await startSharing(database, webhook(receiver));
  await untilSpread(writer, 1);
  const statuses = [1, 2, 0, 2, 1, 2, 0, 1];
  for (const status of statuses) await report(writer, 'disk', status);
  const statusesReceived = (): number[] =>
    receiver.received.filter(({ check }) => check === 'disk').map(({ status }) => status);
  await vi.waitFor(() => expect(statusesReceived()).toHaveLength(statuses.length));
  expect(statusesReceived()).toEqual(statuses);
});

test('a notification that was running on a killed member runs once more on another member', async () => {
  const receiver = await Receiver.open();
  const database = await server().database();
  const writer = await startSharing(database, webhook(receiver));
  const names: string[] = [];
  const timesOf = (): number[] => names.map((name) => receiver.times.get(name) ?? 0);
  const repeated = (): number => timesOf().filter((times) => times === 2).length;
  // The leader avoids a slow member for a while and runs all handlers itself; repeat this until the member is used.
  await vi.waitFor(async () => {
    receiver.release();
    const other = await program(database, webhook(receiver));
    const before = ranElsewhere(writer).length;
    await vi.waitFor(async () => {
      await report(writer, `before-${String(names.length)}`);
      expect(ranElsewhere(writer).length).toBeGreaterThan(before);
    });
    receiver.isHolding = true;
    const held = ['a', 'b', 'c', 'd'].map((letter) => `${letter}-${String(names.length)}`);
    for (const name of held) await report(writer, name);
    names.push(...held);
    await vi.waitFor(() => expect(receiver.times.get(held.at(-1) ?? '')).toBe(1));
    await other.end('SIGKILL');
    await vi.waitFor(() => expect(repeated()).toBeGreaterThan(0), { timeout: 10_000 });
  });
  receiver.release();
  await report(writer, 'after');
  await vi.waitFor(() => expect(receiver.times.get('after')).toBe(1));
  expect(timesOf().every((times) => times === 1 || times === 2)).toBe(true);
  expect(writer.log.messages('warn')).toContain('handler run on another member was lost: running it again');
});

test('a new leader runs the notifications that the killed leader left unfinished', async () => {
  const receiver = await Receiver.open();
  const database = await server().database();
  const writer = await program(database, webhook(receiver));
  const other = await startSharing(database, webhook(receiver));
  let count = 0;
  await vi.waitFor(
    async () => {
      await report(writer, `before-${String(count++)}`);
      expect(await elsewhere(writer)).toBeGreaterThan(0);
    },
    { interval: 100 },
  );
  receiver.isHolding = true;
  for (const name of ['a', 'b']) await report(writer, name);
  await vi.waitFor(() => expect(receiver.times.get('b')).toBe(1));
  await writer.end('SIGKILL');
  const times = (): unknown => ['a', 'b'].map((name) => receiver.times.get(name));
  await vi.waitFor(() => expect(times()).toEqual([2, 2]));
  receiver.release();
  const left = async (): Promise<unknown> => {
    const rows = (await (await fetch(`${other.url}/api/mon/v1/handlers`)).json()) as { name: string }[];
    return rows.find(({ name }) => name === 'default');
  };
  await vi.waitFor(async () => expect(await left()).toMatchObject({ queued: 0, running: 0, dead_letters: 0 }));
  const ids = new Set(receiver.received.filter(({ check }) => check === 'a').map(({ id }) => id));
  expect(ids.size).toBe(1);
});

test('a member with run-handlers: false runs no notification', async () => {
  const receiver = await Receiver.open();
  const database = await server().database();
  const writer = await startSharing(database, webhook(receiver));
  const idle = await startSharing(database, { ...webhook(receiver), 'run-handlers': false });
  const busy = await startSharing(database, webhook(receiver));
  await untilSpread(writer, 1);
  for (let at = 0; at < 10; at++) await report(writer, `more-${String(at)}`);
  await vi.waitFor(() => expect(receiver.times.get('more-9')).toBe(1));
  const names = new Set(ranElsewhere(writer));
  expect([...names]).toEqual([expect.stringContaining(new URL(busy.url).port)]);
  expect([...names]).not.toEqual([expect.stringContaining(new URL(idle.url).port)]);
});

test('a backend with another definition of a handler gets no notification of that handler, and the log says so', async () => {
  const receiver = await Receiver.open();
  const database = await server().database();
  const other = { handlers: { default: { type: 'webhook', url: 'http://127.0.0.1:1/', timeout: 60 } } };
  const writer = await startSharing(database, { 'run-handlers': false, ...webhook(receiver) });
  const member = await startSharing(database, other);
  const refusals = (): object[] =>
    writer.log.records.flatMap(({ message, fields }) => (message === RUNS_NOT_THERE ? [fields] : []));
  let count = 0;
  await vi.waitFor(
    async () => {
      await report(writer, `more-${String(count++)}`);
      expect(refusals()).toHaveLength(1);
    },
    { interval: 100 },
  );
  expect(refusals()).toMatchObject([
    {
      handler: 'default',
      reason:
        'this backend has another definition of the handler default: give all members the same configuration files',
    },
  ]);
  await vi.waitFor(() => expect(receiver.times.size).toBe(count));
  expect([...receiver.times.values()].every((times) => times === 1)).toBe(true);
  expect(ranElsewhere(writer)).toEqual([]);
  expect(member.log.messages('error')).toEqual([]);
});

const RUNS_NOT_THERE = 'another member rejected a handler run: running it elsewhere';

test.each([PEER_RUNS_PATH, PEER_PIECES_PATH])(
  'the path %s accepts only requests of members of the same store',
  async (path) => {
    const backend = await startSharing(await server().database());
    const post = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${backend.url}${path}`, { method: 'POST', headers, body: '{}' })).status;
    expect(await post({})).toBe(404);
    expect(await post(administratorOf(backend.url))).toBe(404);
    expect(await post({ 'mon-peer': 'wrong' })).toBe(401);
    expect(await post({ ...administratorOf(backend.url), 'mon-peer': 'wrong' })).toBe(401);
  },
);

const checks = (peer: FeedPeer): string[] =>
  peer.all('message').map(({ data }) => (JSON.parse(data) as { check: { name: string } }).check.name);

const later = (peer: FeedPeer): string[] => checks(peer).filter((name) => name.startsWith('then'));

test('the messages of a transport reach the feed consumers of every backend once and in order', async () => {
  const database = await server().database();
  const handlers = { default: { type: 'transport', pipe: { type: 'topic', name: 'alerts' } } };
  const backends = [
    await startSharing(database, { handlers }),
    await startSharing(database),
    await startSharing(database),
  ] as const;
  const [writer] = backends;
  const peers = await Promise.all(
    backends.map(({ url }) => FeedPeer.subscribe(url, { topics: [], transports: ['alerts'] })),
  );
  let count = 0;
  await vi.waitFor(async () => {
    await report(writer, `before-${String(count++)}`);
    for (const peer of peers) expect(checks(peer)).not.toHaveLength(0);
  });
  const names = Array.from({ length: 20 }, (_, at) => `then-${String(at)}`);
  for (const name of names) await report(writer, name);
  for (const peer of peers) await vi.waitFor(() => expect(later(peer)).toEqual(names));
  for (const { socket } of peers) socket.close();
});
