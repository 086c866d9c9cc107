import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';

/** A delivery by a handler of the backend. */
export interface Receipt {
  readonly handler: 'line' | 'hook' | 'file';
  /** Number of the backend process that made the delivery, counted from 0. */
  readonly life: number;
  /** Output of the check, which is different for each event. */
  readonly output: string;
  /** Time of receipt in milliseconds on the monotonic clock; `undefined` for deliveries to the file. */
  readonly atMs: number | undefined;
}

interface SentEvent {
  readonly check: { readonly output: string };
}

const LOCALHOST = '127.0.0.1';

/**
 * Receives what handlers deliver: lines over TCP, requests over HTTP, and a file that pipe handlers append to. Each
 * backend process delivers to its own addresses, so that a delayed delivery of a killed backend is recognized.
 */
export class HandledReceiver implements AsyncDisposable {
  readonly receipts: Receipt[] = [];
  readonly #file: string;
  readonly #servers: Server[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the definitions of the handlers for one backend process. */
  async definitions(life: number): Promise<object> {
    const take = (handler: 'line' | 'hook', sent: string): void => {
      const { check } = JSON.parse(sent) as SentEvent;
      this.receipts.push({ handler, life, output: check.output, atMs: performance.now() });
    };
    const line = createServer((socket) => {
      text(socket).then(
        // A connection that was aborted before the end of its JSON is not counted as a delivery.
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
      // The command appends in a single write, because several commands append concurrently.
      file: {
        type: 'pipe',
        command: `event=$(cat) && printf '%s %s\\n' ${String(life)} "$event" >> '${this.#file}'`,
        mutator: 'only_check_output',
        ...waits,
      },
    };
  }

  /** Adds the deliveries that are in the file to `receipts`. */
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
