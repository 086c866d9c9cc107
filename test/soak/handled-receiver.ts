import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';

/** Which run of the backend gave what to whom, and when. */
export interface Receipt {
  readonly handler: 'line' | 'hook' | 'file';
  /** Runs of the backend are counted. */
  readonly life: number;
  /** Of the check; names the event. */
  readonly output: string;
  /** On the monotonic clock; undefined: not known. */
  readonly atMs: number | undefined;
}

interface SentEvent {
  readonly check: { readonly output: string };
}

const LOCALHOST = '127.0.0.1';

/**
 * Takes what handlers deliver: lines over TCP, requests over HTTP, and a file that processes write to. Each run of the
 * backend has addresses of its own, so that what comes late is not taken for what came twice.
 */
export class HandledReceiver implements AsyncDisposable {
  readonly receipts: Receipt[] = [];
  readonly #file: string;
  readonly #servers: Server[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** The definitions of the handlers for one run of the backend. */
  async definitions(life: number): Promise<object> {
    const take = (handler: 'line' | 'hook', sent: string): void => {
      const { check } = JSON.parse(sent) as SentEvent;
      this.receipts.push({ handler, life, output: check.output, atMs: performance.now() });
    };
    const line = createServer((socket) => {
      text(socket).then(
        // Cut off in between: then it was not delivered.
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
      // In one piece, because processes write at the same time.
      file: {
        type: 'pipe',
        command: `event=$(cat) && printf '%s %s\\n' ${String(life)} "$event" >> '${this.#file}'`,
        mutator: 'only_check_output',
        ...waits,
      },
    };
  }

  /** Adds what is in the file. */
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
