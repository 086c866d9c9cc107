import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface SentEvent {
  readonly action: string;
  readonly change?: string;
  readonly client: { readonly name: string };
  readonly check: { readonly name: string; readonly status: number };
}

interface SentGroup {
  readonly group: {
    readonly by: Readonly<Record<string, string>>;
    readonly cause: string;
    readonly severity: string;
  };
  readonly events: readonly SentEvent[];
}

/** A webhook receiver that records notifications in the text form of the model. */
export class ToldReceiver implements AsyncDisposable {
  readonly receivedTexts: string[] = [];
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    server.on('request', (request, response) => {
      text(request)
        .then((body) => void this.receivedTexts.push(wordsOf(JSON.parse(body) as SentEvent | SentGroup)))
        .then(
          () => void response.end(),
          // A request that was aborted before its end is not counted as a notification.
          () => undefined,
        );
    });
  }

  static async open(): Promise<ToldReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ToldReceiver(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function wordsOf(sent: SentEvent | SentGroup): string {
  if (!('group' in sent)) return `${placeOf(sent)} ${sent.action} ${String(sent.check.status)}`;
  const { by, cause, severity } = sent.group;
  const events = sent.events.map((event) => `${placeOf(event)} ${String(event.change)} ${String(event.check.status)}`);
  return `group ${Object.values(by).join()}, ${cause}, ${severity}: ${events.join(', ')}`;
}

function placeOf({ client, check }: SentEvent): string {
  return `${client.name}/${check.name}`;
}
