import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Status code of the response to this request. */
  readonly status: number;
}

/** A webhook receiver whose responses the test controls. */
export class HttpReceiver {
  readonly received: Received[] = [];
  readonly url: string;
  /** Status code of all further responses. */
  status = 204;

  private constructor(url: string) {
    this.url = url;
  }

  /** Opens the receiver; it is closed when the test finishes. */
  static async open(): Promise<HttpReceiver> {
    const server = createServer((request, response) => {
      void (async () => {
        const { headers } = request;
        const body = await text(request);
        const { status } = receiver;
        receiver.received.push({ headers, body, status });
        response.writeHead(status).end();
      })();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const receiver = new HttpReceiver(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`);
    return receiver;
  }
}
