import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMs } from './process-figures.ts';

/** An HTTP server under load. `pid` is missing if the server is not a process of the benchmark. */
export interface BenchServer {
  readonly url: string;
  readonly pid?: number;
}

/** A keep-alive connection with one request at a time. Responses are read completely and discarded. */
export class HttpConnection {
  readonly pid: number | undefined;
  readonly #socket: Socket;
  #pending: { resolve(): void; reject(error: Error): void } | undefined;
  #head: Buffer | undefined;
  /** Remaining bytes of the response body; `undefined` for a chunked body. */
  #missing: number | undefined = 0;
  /** The last received bytes of a chunked body, to find its end. */
  #tail = '';

  constructor({ url, pid }: BenchServer) {
    this.pid = pid;
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (data) => this.#receive(data));
    this.#socket.on('error', (error) => this.#pending?.reject(error));
    this.#socket.on('close', () => this.#pending?.reject(new Error('the server closed the connection')));
  }

  send(method: 'GET' | 'POST', path: string, body = ''): Promise<void> {
    return this.sendReady(readyRequest(method, path, body));
  }

  /**
   * Sends a prepared request and waits for the complete response.
   *
   * @param request the result of `readyRequest`
   */
  async sendReady(request: Buffer): Promise<void> {
    if (this.#socket.connecting) await once(this.#socket, 'connect');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending = { resolve, reject };
    this.#socket.write(request);
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

/** Returns the bytes of a request, so that it is encoded once and sent many times. */
function readyRequest(method: 'GET' | 'POST', path: string, body: string): Buffer {
  const length = String(Buffer.byteLength(body));
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
}

/** The bytes that end a chunked body. */
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Posts a JSON body.
 *
 * @throws Error if the status of the response is not 2xx
 */
export async function postJson(url: string, body: unknown): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${url}: ${String(answer.status)} ${text}`);
}

/** Returns the CPU time of a server in milliseconds; NaN if the server is not a process of the benchmark. */
export function serverCpuMs({ pid }: { readonly pid?: number | undefined }): number {
  return pid === undefined ? NaN : cpuMs(pid);
}

const WARM_UP_MS = 1000;

export interface HttpLoad {
  /** Completed requests per second. */
  readonly rate: number;
  /** CPU time of the server per request; NaN if the server is not a process of the benchmark. */
  readonly cpuMicroseconds: number;
}

/**
 * Sends requests one after the other on each connection, and counts the responses in the given time.
 *
 * @param bodyOf returns the body of a request; it is called in advance for 50 requests per connection, which are sent
 * in rotation, so that generating the load costs little
 */
export async function postLoop(
  target: BenchServer,
  { path, connections, ms }: { readonly path: string; readonly connections: number; readonly ms: number },
  bodyOf: (connection: number, at: number) => string,
): Promise<HttpLoad> {
  let answered = 0;
  const over = new AbortController();
  const loops = Array.from({ length: connections }, async (_, connection) => {
    const requests = Array.from({ length: 50 }, (__, at) => readyRequest('POST', path, bodyOf(connection, at)));
    const line = new HttpConnection(target);
    for (let at = 0; !over.signal.aborted; at++) {
      await line.sendReady(requests[at % requests.length] as Buffer);
      answered++;
    }
    line.close();
  });
  await Promise.race([sleep(WARM_UP_MS), ...loops]);
  const [before, cpuBefore, startedAt] = [answered, serverCpuMs(target), performance.now()];
  await Promise.race([sleep(ms), ...loops]);
  const requests = answered - before;
  const load = {
    rate: (requests * 1000) / (performance.now() - startedAt),
    cpuMicroseconds: ((serverCpuMs(target) - cpuBefore) * 1000) / requests,
  };
  over.abort();
  await Promise.all(loops);
  return load;
}
