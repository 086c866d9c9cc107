import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { onTestFinished } from 'vitest';

/** A request to a scripted service. */
export interface SeenRequest {
  readonly method: string;
  /** The path as sent, not decoded. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON; `undefined` without a body. */
  readonly body: unknown;
}

/** A response: a body is sent as JSON, text unchanged, and `undefined` as an empty body. */
export interface ScriptedAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

/** Starts a real HTTP server on loopback that responds by a script, closed when the test ends. */
export async function startScriptedServer(
  answer: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
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

/** Returns a URL on which nothing listens. */
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
