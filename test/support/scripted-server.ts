import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { onTestFinished } from 'vitest';

/** A request that the scripted server has received. */
export interface SeenRequest {
  readonly method: string;
  /** The path and query as sent, without decoding. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON body; `undefined` if there was none. */
  readonly body: unknown;
}

/**
 * A response of the scripted server. A string is sent as it is, other values as JSON, and `undefined` as an empty body.
 */
export interface ScriptedResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

/**
 * Starts an HTTP server on a loopback address whose responses a callback returns. It is closed when the test finishes.
 */
export async function startScriptedServer(
  answer: (request: SeenRequest) => ScriptedResponse | Promise<ScriptedResponse>,
): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
      seen.push(request);
      const reply = await answer(request);
      outgoing.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      if (reply.body === undefined) outgoing.end();
      else outgoing.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return { url: `http://127.0.0.1:${String(portOf(server))}`, seen };
}

/** Returns a URL at which no server listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String(portOf(server))}`;
  await new Promise((resolve) => void server.close(resolve));
  return url;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the scripted server has no port');
  return address.port;
}
