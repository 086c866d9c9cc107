// Simulates a backend that only serves the feed and changes events at a given rate. It runs in its own process, so that
// it does not slow down the process that measures. The parent process controls it with the messages below.
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { WebSocketServer, type WebSocket } from 'ws';
import { FEED_PROTOCOL, type EventBrief, type EventRow, type FeedMessage } from '../../shared/schemas/feed.ts';
import { snapshotInColumns } from '../../shared/domain/event-columns.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import type { Event } from '../../shared/schemas/event.ts';

export interface StormOrder {
  readonly changesPerSecond: number;
  /** True to ping the console continuously, which also costs the console some CPU. */
  readonly pings: boolean;
}

/**
 * A message to the parent process: first the address of the feed, then once a second the response times of the pings.
 */
export type StormReport =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'answers'; readonly delaysMs: readonly number[] };

/** The fields of the console's requests that the simulated backend reads. */
interface ConsoleRequest {
  readonly type: string;
  readonly ms?: number;
  readonly full?: readonly string[];
  readonly columns?: boolean;
}

const EVENT_COUNT = Number(process.argv[2]);
/**
 * Number of events that get every fifth change. They are therefore always the newest events, so that every frame
 * changes what the console shows.
 */
const HOT_EVENTS = 500;
const CHECKS_PER_CLIENT = 8;
/** Maximum number of rows in one frame, as in the real backend. */
const FRAME_ROWS = 2000;
const FRAME_MS = 50;
const PING_MS = 25;

/** Outputs without digits, so that a search for the number of a client matches only that client. */
const OUTPUT_TEXTS = [
  'connect timeout after ten seconds',
  'replication lag above its threshold: the standby does not catch up with the primary',
  'disk nearly full on /var/lib/postgresql',
  'HTTP answered Service Unavailable',
  'certificate ends soon',
  'load average is high; run queue longer than the cores can take, see the runbook of the team for what to stop first',
  'process not running: nginx',
  'résumé of the probe – durée dépassée',
];

const httpServer = createServer((request, response) => {
  const [, , client = '', check = ''] = (request.url ?? '').split('/');
  response.setHeader('content-type', 'application/json').end(JSON.stringify(fullEvent(client, check)));
});
const socketServer = new WebSocketServer({ server: httpServer, handleProtocols: () => FEED_PROTOCOL });
const snapshotFrames = Array.from({ length: Math.ceil(EVENT_COUNT / FRAME_ROWS) }, (_, frame) => {
  const first = frame * FRAME_ROWS;
  const indexes = Array.from({ length: Math.min(FRAME_ROWS, EVENT_COUNT - first) }, (__, offset) => first + offset);
  const events = buildRows(indexes, 100_000);
  const [byRow, byColumn]: FeedMessage[] = [
    { type: 'snapshot', seq: 1, rows: { events } },
    { type: 'snapshot', seq: 1, ...snapshotInColumns({ events }) },
  ];
  return { byRow: JSON.stringify(byRow), byColumn: JSON.stringify(byColumn) };
});
let currentOrder: StormOrder = { changesPerSecond: 0, pings: false };
let delaysMs: number[] = [];

process.on('message', (next: StormOrder) => {
  currentOrder = next;
});
process.on('disconnect', () => process.exit());
socketServer.on('connection', serveSocket);
httpServer.listen(0, '127.0.0.1', () => {
  const address = httpServer.address();
  if (address !== null && typeof address !== 'string') {
    sendReport({ kind: 'listening', url: `http://127.0.0.1:${String(address.port)}` });
  }
});

function serveSocket(socket: WebSocket): void {
  const send = (message: FeedMessage): void => socket.send(JSON.stringify(message));
  const timers: NodeJS.Timeout[] = [];
  let seq = 1;
  let paceMs = 0;
  let sentAt = 0;
  let pending: Record<string, EventRow> = {};
  let fullKeys: ReadonlySet<string> | undefined;
  /** The events whose last row was sent in the brief form, by their key. */
  const briefRows = new Map<string, EventRow>();
  let isDue = false;
  let pingedAt: number | undefined;
  socket.on('error', () => socket.terminate());
  socket.on('close', () => timers.forEach(clearInterval));
  socket.on('message', (data: Buffer) => {
    const { type, ms = 0, columns = false, ...pace } = JSON.parse(data.toString()) as ConsoleRequest;
    if (type === 'pace') {
      paceMs = ms;
      fullKeys = pace.full && new Set(pace.full);
      for (const key of fullKeys ?? briefRows.keys()) {
        const row = briefRows.get(key);
        if (row === undefined) continue;
        briefRows.delete(key);
        pending[key] ??= row;
        isDue = true;
      }
      return;
    }
    if (type === 'ping') return send({ type: 'pong' });
    if (type === 'pong') {
      if (pingedAt !== undefined) delaysMs.push(performance.now() - pingedAt);
      pingedAt = undefined;
      return;
    }
    for (const { byRow, byColumn } of snapshotFrames) socket.send(columns ? byColumn : byRow);
    send({ type: 'live', seq });
    timers.push(
      setInterval(() => {
        const count = Math.round((currentOrder.changesPerSecond * FRAME_MS) / 1000);
        if (count === 0) return;
        const hot = Array.from({ length: count / 5 }, () => Math.floor(Math.random() * HOT_EVENTS));
        const others = Array.from({ length: count - hot.length }, () => Math.floor(Math.random() * EVENT_COUNT));
        seq += 1;
        Object.assign(pending, buildRows(others, 100_000), buildRows(hot, 0, 2));
        if (performance.now() - sentAt < paceMs && !isDue) return;
        sentAt = performance.now();
        const events: Record<string, EventRow> = {};
        const brief: Record<string, EventBrief> = {};
        const keys = Object.keys(pending);
        isDue = keys.length > FRAME_ROWS;
        for (const key of keys.slice(0, FRAME_ROWS)) {
          const row = pending[key];
          if (row === undefined) continue;
          if (fullKeys?.has(key) === false) {
            brief[key] = { status: row.status, action: row.action, since: row.since, silenced_by: row.silenced_by };
            briefRows.set(key, row);
          } else events[key] = row;
        }
        pending = isDue ? Object.fromEntries(keys.slice(FRAME_ROWS).map((key) => [key, pending[key] as EventRow])) : {};
        send({ type: 'changes', seq, time: Date.now(), rows: { events }, brief: { events: brief } });
      }, FRAME_MS),
      setInterval(() => {
        const results = { ok: 1_000_000, warning: 33_000, critical: 33_000, unknown: 34_000 };
        const stats = {
          results,
          clients: EVENT_COUNT / CHECKS_PER_CLIENT,
          rate: currentOrder.changesPerSecond,
          queue: 0,
        };
        send({ type: 'stats', time: Date.now(), stats });
        sendReport({ kind: 'answers', delaysMs });
        delaysMs = [];
      }, 1000),
      setInterval(() => {
        if (!currentOrder.pings || pingedAt !== undefined) return;
        pingedAt = performance.now();
        send({ type: 'ping' });
      }, PING_MS),
    );
  });
  const can = { pace: true, brief: true, columns: true };
  send({ type: 'hello', version: '1.0.0', store: 'bench', name: 'bench', time: Date.now(), ...can });
}

/**
 * Returns rows of events.
 *
 * @param ageMax maximum time since the last change of their status, in seconds
 */
function buildRows(indexes: readonly number[], ageMax: number, status?: number): Record<string, EventRow> {
  const now = Math.floor(Date.now() / 1000);
  return Object.fromEntries(
    indexes.map((index) => {
      const client = `web-${String(Math.floor(index / CHECKS_PER_CLIENT)).padStart(5, '0')}.eu-west`;
      const check = `check-${'abcdefgh'.charAt(index % CHECKS_PER_CLIENT)}`;
      const row: EventRow = {
        client,
        check,
        status: status ?? 1 + Math.floor(Math.random() * 3),
        action: 'create',
        occurrences: 1 + Math.floor(Math.random() * 50),
        since: now - Math.floor(Math.random() * ageMax),
        last: now,
        silenced_by: [],
        output: OUTPUT_TEXTS[Math.floor(Math.random() * OUTPUT_TEXTS.length)] ?? '',
      };
      return [eventKey(client, check), row];
    }),
  );
}

function fullEvent(client: string, check: string): Event {
  const now = Math.floor(Date.now() / 1000);
  return {
    id: 'b2f60bd1-6c2a-4b29-a2d5-4a7e1c9a0b11',
    client: {
      name: client,
      address: '192.0.2.1',
      subscriptions: ['web', `client:${client}`],
      timestamp: now,
      version: '1.0.0',
    },
    check: {
      name: check,
      status: 2,
      output: OUTPUT_TEXTS.join('\n'),
      command: `/usr/lib/mon/plugins/${check} -w 80 -c 90`,
      handlers: ['pagerduty'],
      interval: 30,
      issued: now,
      executed: now,
      duration: 0.1,
      history: Array.from({ length: 21 }, (_, at) => String(at % 3)),
      total_state_change: 12,
    },
    occurrences: 3,
    occurrences_watermark: 3,
    last_ok: now - 600,
    action: 'create',
    timestamp: now,
    last_state_change: now - 300,
    silenced: false,
    silenced_by: [],
  };
}

function sendReport(message: StormReport): void {
  process.send?.(message);
}
