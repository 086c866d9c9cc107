import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface SentGroup {
  readonly events: readonly {
    readonly change: 'new' | 'changed' | 'resolved' | 'same';
    readonly client: { readonly name: string };
    readonly check: { readonly name: string; readonly status: number };
  }[];
}

/** A run that came again, with the one before it. */
export interface Repetition {
  readonly earlier: Receipt;
  readonly later: Receipt;
}

interface Receipt {
  /** Which life of the backend sent it. */
  readonly life: number;
  /** On the monotonic clock. */
  readonly atMs: number;
}

/**
 * Receives what a handler with `group_by` tells, and believes it. Each life of the backend has an address of its own, so that
 * what comes late is not taken for what came twice.
 */
export class GroupedReceiver implements AsyncDisposable {
  /** The status with which each problem was told that is not told to be over, by client and check. */
  readonly told = new Map<string, number>();
  /** What cannot be after what was told before. */
  readonly wrong: string[] = [];
  readonly repetitions: Repetition[] = [];
  readonly #runs = new Map<string, Receipt>();
  readonly #servers: Server[] = [];

  get runs(): number {
    return this.#runs.size;
  }

  /** Where the next life of the backend sends to. */
  async listen(life: number): Promise<string> {
    const server = createServer((request, response) => {
      text(request)
        .then((body) => this.#take(body, { life, atMs: performance.now() }))
        .then(
          () => void response.end(),
          // Cut off in between: then nothing was told.
          () => undefined,
        );
    }).listen(0, '127.0.0.1');
    this.#servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#servers.map(async (server) => {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }),
    );
  }

  #take(body: string, receipt: Receipt): void {
    const earlier = this.#runs.get(body);
    this.#runs.set(body, receipt);
    if (earlier !== undefined) {
      this.repetitions.push({ earlier, later: receipt });
      return;
    }
    for (const { change, client, check } of (JSON.parse(body) as SentGroup).events) {
      const place = `${client.name}/${check.name}`;
      const before = this.told.get(place);
      const isRight = {
        new: before === undefined,
        same: before === check.status,
        changed: before !== undefined && before !== check.status,
        resolved: before !== undefined,
      }[change];
      if (!isRight) this.wrong.push(`${place} ${change} ${String(check.status)}, told before: ${String(before)}`);
      if (change === 'resolved') this.told.delete(place);
      else this.told.set(place, check.status);
    }
  }
}
