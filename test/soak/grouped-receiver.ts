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

/** Two notifications with the same content, of which the later one is a repetition. */
export interface Repetition {
  readonly earlier: Receipt;
  readonly later: Receipt;
}

interface Receipt {
  /** Number of the backend process that sent the notification, counted from 0. */
  readonly life: number;
  /** Time of receipt in milliseconds on the monotonic clock. */
  readonly atMs: number;
}

/**
 * A receiver of a handler with `group_by` that derives the open events from its notifications. Each backend process
 * sends to its own address, so that a delayed notification of a killed backend is recognized.
 */
export class GroupedReceiver implements AsyncDisposable {
  /** Last notified status of each open event, by client and check. */
  readonly lastStatuses = new Map<string, number>();
  /** Descriptions of the notifications that contradict earlier ones. */
  readonly wrong: string[] = [];
  readonly repetitions: Repetition[] = [];
  readonly #runs = new Map<string, Receipt>();
  readonly #servers: Server[] = [];

  get runs(): number {
    return this.#runs.size;
  }

  /** Opens an address for the next backend process, and returns its URL. */
  async listen(life: number): Promise<string> {
    const server = createServer((request, response) => {
      text(request)
        .then((body) => this.#recordNotification(body, { life, atMs: performance.now() }))
        .then(
          () => void response.end(),
          // A request that was aborted before its end is not counted as a notification.
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

  #recordNotification(body: string, receipt: Receipt): void {
    const earlier = this.#runs.get(body);
    this.#runs.set(body, receipt);
    if (earlier !== undefined) {
      this.repetitions.push({ earlier, later: receipt });
      return;
    }
    for (const { change, client, check } of (JSON.parse(body) as SentGroup).events) {
      const place = `${client.name}/${check.name}`;
      const before = this.lastStatuses.get(place);
      const isRight = {
        new: before === undefined,
        same: before === check.status,
        changed: before !== undefined && before !== check.status,
        resolved: before !== undefined,
      }[change];
      if (!isRight) this.wrong.push(`${place} ${change} ${String(check.status)}, told before: ${String(before)}`);
      if (change === 'resolved') this.lastStatuses.delete(place);
      else this.lastStatuses.set(place, check.status);
    }
  }
}
