import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';

/** A delivery: the run of the backend, the handler and the time. */
export interface Receipt {
  readonly handler: 'line' | 'hook' | 'file';
  /** The number of the backend's run. */
  readonly life: number;
  /** Output of the check, which identifies the event. */
  readonly output: string;
  /** Time on the monotonic clock; `undefined` if unknown. */
  readonly atMs: number | undefined;
}

interface SentEvent {
  readonly check: { readonly output: string };
}

const LOCALHOST = '127.0.0.1';

/**
 * Receives what handlers deliver: lines over TCP, requests over HTTP, and a file that processes write to. Each
 * run of the backend has its own addresses, so that a late delivery is not taken for a repeated one.
 */
export class HandledReceiver implements AsyncDisposable {
  readonly receipts: Receipt[] = [];
  readonly #file: string;
  readonly #servers: Server[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the definitions of the handlers for one run of the backend. */
  async definitions(life: number): Promise<object> {
    const take = (handler: 'line' | 'hook', sent: string): void => {
      const { check } = JSON.parse(sent) as SentEvent;
      this.receipts.push({ handler, life, output: check.output, atMs: performance.now() });
    };
    const line = createServer((socket) => {
      text(socket).then(
        // An aborted connection is not a delivery.
        (said) => void (said.endsWith('}') && take('line', said)),
        () => undefined,
      );
    });
    const hook = createHttpServer((request, response) => {
      text(request)
        .then((body) => take('hook', body))
        .then(
          () => void response.end(),
          () => undefined,
        );
    });
    const waits = { queue_limit: 1_000_000 };
    return {
      line: { type: 'tcp', socket: { host: LOCALHOST, port: await this.#listen(line) }, ...waits },
      hook: { type: 'webhook', url: `http://${LOCALHOST}:${String(await this.#listen(hook))}/`, ...waits },
      // The command appends in a single write, because several processes write concurrently.
      file: {
        type: 'pipe',
        command: `event=$(cat) && printf '%s %s\\n' ${String(life)} "$event" >> '${this.#file}'`,
        mutator: 'only_check_output',
        ...waits,
      },
    };
  }

  /** Adds the deliveries in the file. */
  async readFile(): Promise<void> {
    for (const line of (await readFile(this.#file, 'utf8')).split('\n')) {
      const [, life, output] = /^(\d+) (\S+ \d+)$/.exec(line) ?? [];
      if (output !== undefined) this.receipts.push({ handler: 'file', life: Number(life), output, atMs: undefined });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#servers.map(async (server) => {
        server.close();
        await once(server, 'close');
      }),
    );
  }

  async #listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.listen(0, LOCALHOST);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
}
