// A process of its own: a backend that only speaks the feed. Arguments: events, changes per second. Prints its port.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { eventKey, FEED_PROTOCOL, type EventRow, type FeedMessage } from '../../shared/schemas/feed.ts';

const EVENTS = Number(process.argv[2]);
const CHANGES_PER_SECOND = Number(process.argv[3]);
const SNAPSHOT_ROWS = 5000;
const FRAME_MS = 50;

function rowOf(index: number, status: number, age: number): EventRow {
  const now = Math.floor(Date.now() / 1000);
  return {
    client: `web-${String(index >> 3).padStart(5, '0')}.eu-west-1`,
    check: `check-${String(index & 7)}`,
    status,
    action: 'create',
    occurrences: 1 + (index % 50),
    since: now - age,
    last: now,
    silenced_by: [],
    output: `value ${String(index)} is beyond its threshold ${'.'.repeat(index % 60)}`,
  };
}

function rowsOf(indexes: Iterable<number>, ageMax: number): Record<string, EventRow> {
  const rows: Record<string, EventRow> = {};
  for (const index of indexes) {
    const row = rowOf(index, 1 + Math.floor(Math.random() * 3), Math.floor(Math.random() * ageMax));
    rows[eventKey(row.client, row.check)] = row;
  }
  return rows;
}

function range(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}

const http = createServer((_, response) => void response.writeHead(404).end());
const sockets = new WebSocketServer({ server: http, handleProtocols: () => FEED_PROTOCOL });
sockets.on('connection', (socket) => {
  const send = (message: FeedMessage): void => socket.send(JSON.stringify(message));
  let seq = 1;
  let storm: NodeJS.Timeout | undefined;
  send({ type: 'hello', version: '1.0.0', store: 'bench', name: 'bench', time: Date.now() });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => clearInterval(storm));
  socket.on('message', (data: Buffer) => {
    if (data.toString().includes('ping')) return send({ type: 'pong' });
    for (let start = 0; start < EVENTS; start += SNAPSHOT_ROWS) {
      const indexes = range(start, Math.min(EVENTS, start + SNAPSHOT_ROWS));
      send({ type: 'snapshot', seq, rows: { events: rowsOf(indexes, 100_000) } });
    }
    send({ type: 'live', seq });
    storm = setInterval(() => {
      const count = Math.round((CHANGES_PER_SECOND * FRAME_MS) / 1000);
      const indexes = Array.from({ length: count }, () => Math.floor(Math.random() * EVENTS));
      seq += 1;
      // Young ones: they sort to the top, so that every row in view changes with each frame.
      send({ type: 'changes', seq, time: Date.now(), rows: { events: rowsOf(indexes, 1000) } });
    }, FRAME_MS);
  });
});
http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  if (address !== null && typeof address !== 'string') console.log(address.port);
});
