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

/** A repeated run, with the previous one. */
export interface Repetition {
  readonly earlier: Receipt;
  readonly later: Receipt;
}

interface Receipt {
  /** The number of the run of the backend that sent the notification. */
  readonly life: number;
  /** Time on the monotonic clock. */
  readonly atMs: number;
}

/**
 * A receiver of a handler with `group_by` that believes its notifications. Each life of the backend has its own
 * address, so that a late notification is not taken for a repeated one.
 */
export class GroupedReceiver implements AsyncDisposable {
  /** Last notified status of each unresolved problem, by client and check. */
  readonly told = new Map<string, number>();
  /** Notifications that contradict earlier ones. */
  readonly wrong: string[] = [];
  readonly repetitions: Repetition[] = [];
  readonly #runs = new Map<string, Receipt>();
  readonly #servers: Server[] = [];

  get runs(): number {
    return this.#runs.size;
  }

  /** Opens the address for the next life of the backend. */
  async listen(life: number): Promise<string> {
    const server = createServer((request, response) => {
      text(request)
        .then((body) => this.#take(body, { life, atMs: performance.now() }))
        .then(
          () => void response.end(),
          // An aborted request is not a notification.
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
