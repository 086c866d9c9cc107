import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { startBackend } from './backend-process.ts';
import { cpuMs, memoryMiB } from './process-figures.ts';

const EVENTS = { clients: 1000, checks: 10 };
const MEMBERS = { clients: 1000, checks: 100 };
const SILENCES_FEW = 5000;
const SILENCES_MANY = 100_000;
/** Entries that name the same check. */
const SILENCES_PER_CHECK = 10;
const RESULT_BYTES = 600;
const BATCH = 1000;
const CONNECTIONS = 32;

/**
 * How long the API takes to answer its largest questions, each asked again and again over one connection, the whole
 * answer read; with results of 600 bytes. The anchors are of the page (performance, measured on a machine like this).
 */
export async function run(seconds: number): Promise<void> {
  await using backend = await startBackend();
  const ask = new Line(backend);
  console.log(`median, p99 and CPU of the backend, from ${String(seconds)} s each over loopback`);

  await postResults(backend, EVENTS, (client, check) => ({
    source: `web-${String(client)}`,
    name: `check-${String(check)}`,
    status: 1 + ((client + check) % 2),
  }));
  await measure(
    ask,
    seconds,
    'GET /events, 10,000 events',
    '/events',
    'goal 60 ms; the peer 219, 10,000 alerts of Alertmanager 139',
  );
  await measure(ask, seconds, 'GET /events?limit=100 of them', '/events?limit=100', 'goal 3 ms; the peer 93');
  await measure(ask, seconds, 'GET /events/:client/:check', '/events/web-500/check-5', '');
  await measure(ask, seconds, 'GET /results, 10,000 results', '/results', 'the peer 627 for 20,000');

  await postSilences(backend, 0, SILENCES_FEW);
  await measure(
    ask,
    seconds,
    'GET /silenced, 5,000 entries',
    '/silenced',
    'goal 20 ms; the peer 215 for 10,000, Alertmanager 27',
  );
  await measure(ask, seconds, 'GET /events, with them', '/events', '');
  await postSilences(backend, SILENCES_FEW, SILENCES_MANY);
  const among = 'among 100,000 entries, 10 found';
  await measure(ask, seconds, `GET /silenced/checks/:check, ${among}`, '/silenced/checks/disk-500', 'goal 1 ms');
  await measure(
    ask,
    seconds,
    `GET /silenced/subscriptions/:s, ${among}`,
    '/silenced/subscriptions/role-500',
    'goal 1 ms',
  );
  await measure(
    ask,
    seconds,
    'GET /silenced/ids/:id, among 100,000',
    '/silenced/ids/role-500:disk-500',
    'the peer 60 among 10,000',
  );

  const before = memoryMiB(backend.pid);
  await postResults(backend, MEMBERS, (client, check) => ({
    source: `app-${String(client)}`,
    name: `probe-${String(check)}`,
    status: (client + check) % 4,
    aggregate: 'all',
  }));
  const whole = 'of 100,000 members, three in four failing';
  await measure(ask, seconds, `GET /aggregates/:a ${whole}`, '/aggregates/all', 'goal 2 ms');
  await measure(ask, seconds, 'the same with max_age', '/aggregates/all?max_age=3600', 'goal 20 ms');
  await measure(ask, seconds, 'the same after each change of a silence', '/aggregates/all', '', () =>
    ask.send('POST', '/silenced', JSON.stringify({ subscription: 'nobody' })),
  );
  await measure(ask, seconds, 'GET /aggregates/:a/clients of them', '/aggregates/all/clients', '');
  await measure(ask, seconds, 'GET /aggregates/:a/checks of them', '/aggregates/all/checks', '');
  await measure(ask, seconds, 'GET /aggregates/:a/results/critical, 25,000', '/aggregates/all/results/critical', '');
  console.log(
    `memory of the backend: ${memoryMiB(backend.pid).toFixed(0)} MiB, ${before.toFixed(0)} before the members`,
  );
  ask.close();
}

/** Asks until the time is over, at least ten times. */
async function measure(
  line: Line,
  seconds: number,
  name: string,
  path: string,
  remark: string,
  before: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const times: number[] = [];
  // Unmeasured: what runs for the first time is not compiled yet.
  for (let round = 0; round < 5; round++) await line.send('GET', path);
  const cpuBefore = cpuMs(line.pid);
  const end = performance.now() + seconds * 1000;
  while (times.length < 10 || performance.now() < end) {
    await before();
    const start = performance.now();
    await line.send('GET', path);
    times.push(performance.now() - start);
  }
  const cpu = (cpuMs(line.pid) - cpuBefore) / times.length;
  times.sort((a, b) => a - b);
  const figure = (share: number): string => at(times, share).toFixed(2).padStart(8);
  console.log(
    `${name.padEnd(66)} ${figure(0.5)} ${figure(0.99)} ms ${cpu.toFixed(2).padStart(8)} ms CPU${remark === '' ? '' : `   (${remark})`}`,
  );
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

type Target = Pick<Awaited<ReturnType<typeof startBackend>>, 'url' | 'pid'>;

/** One connection, one request at a time, the answer read to its end and not looked at. */
class Line {
  readonly pid: number;
  readonly #socket: Socket;
  #pending: { resolve(): void; reject(error: Error): void } | undefined;
  #head: Buffer | undefined;
  /** Bytes of the body that are still to come; undefined: it comes in chunks. */
  #missing: number | undefined = 0;
  /** The end of what came last of a body in chunks. */
  #tail = '';

  constructor({ url, pid }: Target) {
    this.pid = pid;
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (data) => this.#receive(data));
    this.#socket.on('error', (error) => this.#pending?.reject(error));
  }

  async send(method: 'GET' | 'POST', path: string, body = ''): Promise<void> {
    if (this.#socket.connecting) await once(this.#socket, 'connect');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending = { resolve, reject };
    this.#socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
    );
    await promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    if (this.#missing === undefined) {
      this.#noteChunks(data);
    } else if (this.#missing > 0) {
      this.#missing -= data.length;
    } else {
      const received = this.#head === undefined ? data : Buffer.concat([this.#head, data]);
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) {
        this.#head = received;
        return;
      }
      this.#head = undefined;
      const head = received.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 2')) {
        this.#pending?.reject(new Error(received.toString()));
        return;
      }
      const body = received.subarray(end + 4);
      if (/transfer-encoding: chunked/i.test(head)) this.#noteChunks(body);
      else this.#missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - body.length;
    }
    if (this.#missing === 0) this.#pending?.resolve();
  }

  #noteChunks(data: Buffer): void {
    this.#tail = (this.#tail + data.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length);
    this.#missing = this.#tail === LAST_CHUNK ? 0 : undefined;
    if (this.#missing === 0) this.#tail = '';
  }
}

/** Of a body in chunks. */
const LAST_CHUNK = '\r\n0\r\n\r\n';

async function postResults(
  backend: Target,
  { clients, checks }: { readonly clients: number; readonly checks: number },
  result: (client: number, check: number) => { readonly name: string },
): Promise<void> {
  const results = Array.from({ length: clients * checks }, (_, index) =>
    filled(result(Math.floor(index / checks), index % checks)),
  );
  const line = new Line(backend);
  for (let start = 0; start < results.length; start += BATCH) {
    await line.send('POST', '/api/mon/v1/results', `[${results.slice(start, start + BATCH).join(',')}]`);
  }
  line.close();
}

/** A result of about `RESULT_BYTES`. */
function filled(result: { readonly name: string }): string {
  const check = {
    ...result,
    output: '',
    interval: 60,
    subscribers: ['linux'],
    command: `/usr/lib/mon/plugins/${result.name} -w 80 -c 90 --verbose`,
    handlers: ['default'],
    duration: 0.123,
    team: 'operations',
  };
  const fill = RESULT_BYTES - JSON.stringify(check).length;
  return JSON.stringify({
    ...check,
    output: 'DISK - free space: / 3326 MiB (56% inode=88%); '.repeat(20).slice(0, fill),
  });
}

/** Entries that nothing here is named by, in as many subscriptions as checks. */
async function postSilences(backend: Target, from: number, to: number): Promise<void> {
  const groups = SILENCES_MANY / SILENCES_PER_CHECK;
  let next = from;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const line = new Line(backend);
      while (next < to) {
        const entry = next++;
        const check = entry % groups;
        const subscription = (check + Math.floor(entry / groups)) % groups;
        const body = {
          subscription: `role-${String(subscription)}`,
          check: `disk-${String(check)}`,
          reason: 'maintenance',
        };
        await line.send('POST', '/silenced', JSON.stringify(body));
      }
      line.close();
    }),
  );
}
