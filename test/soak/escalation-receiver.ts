import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A notification of a step, or of the resolution. */
export interface StepReceipt {
  /** Id of the delivery. It stays the same if the delivery is repeated. */
  readonly delivery: string;
  readonly handler: string;
  /** Name of the check. The soak uses each name for one problem only. */
  readonly check: string;
  /** Number of the step; 0 for the resolution. */
  readonly step: number;
}

interface SentEvent {
  readonly action: 'create' | 'resolve';
  readonly check: { readonly name: string };
  readonly escalation?: { readonly step: number };
}

/** Receives what the handlers of an escalation send. Each handler has a path of its own. */
export class EscalationReceiver implements AsyncDisposable {
  /** The first receipt of each delivery, in the order of their arrival. */
  readonly receipts: StepReceipt[] = [];
  /** Number of deliveries that arrived again. */
  repeated = 0;
  readonly #deliveries = new Set<string>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<EscalationReceiver> {
    const server = createServer((request, response) => {
      const { url = '', headers } = request;
      text(request)
        .then((body) => receiver.#add(JSON.parse(body) as SentEvent, url.slice(1), String(headers['x-mon-delivery'])))
        .then(
          () => void response.end(),
          // A request that was aborted before its end is not counted as a notification.
          () => undefined,
        );
    }).listen(0, '127.0.0.1');
    const receiver = new EscalationReceiver(server);
    await once(server, 'listening');
    return receiver;
  }

  /** Returns the definition of a handler that sends to this receiver. */
  definition(handler: string): object {
    const { port } = this.#server.address() as AddressInfo;
    return { type: 'webhook', url: `http://127.0.0.1:${String(port)}/${handler}`, queue_limit: 1_000_000 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #add({ action, check, escalation }: SentEvent, handler: string, delivery: string): void {
    if (this.#deliveries.has(delivery)) {
      this.repeated++;
      return;
    }
    this.#deliveries.add(delivery);
    const step = action === 'resolve' ? 0 : (escalation?.step ?? NaN);
    this.receipts.push({ delivery, handler, check: check.name, step });
  }
}
