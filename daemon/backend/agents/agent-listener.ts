import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { listenProblem, type ListenAddress } from '../http/listen-problem.ts';
import type { Connections } from '../http/connections.ts';
import type { MakeServer } from '../http/http-server.ts';
import { textRefusal, routeUpgrades, type SocketAdmission, type WebSocketEndpoint } from '../sockets/upgrades.ts';

export interface AgentListener extends AsyncDisposable {
  /** The URL of the listener, such as `ws://127.0.0.1:8081`; with TLS it begins with `wss`. */
  readonly url: string;
}

/**
 * Opens a listener that accepts only agents. A rejection is sent as plain text, because v2 agents log it unchanged.
 *
 * @throws MonError `conflict` if the port is in use, `invalid` if the address cannot be used
 */
export async function openAgentListener(
  address: ListenAddress,
  endpoints: readonly WebSocketEndpoint[],
  admission: SocketAdmission,
  { connections, makeServer }: { readonly connections: Connections; readonly makeServer: MakeServer },
): Promise<AgentListener> {
  const server = makeServer((_request, response) => refusePlainRequest(response));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => closeServer(server, connections));
  parts.use(routeUpgrades(server, endpoints, admission, textRefusal));
  try {
    server.listen(address.port, address.bind);
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem(error, address, 'agent-listener.port');
  }
  const { port } = server.address() as AddressInfo;
  const host = address.bind.includes(':') ? `[${address.bind}]` : address.bind;
  const running = parts.move();
  const scheme = server instanceof TlsServer ? 'wss' : 'ws';
  return { url: `${scheme}://${host}:${String(port)}`, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function refusePlainRequest(response: ServerResponse): void {
  response.writeHead(426, { Connection: 'close', Upgrade: 'websocket', 'Content-Type': 'text/plain' });
  response.end('this port is for the WebSocket connections of agents');
}

async function closeServer(server: Server, connections: Connections): Promise<void> {
  if (!server.listening) return;
  server.close();
  connections.closeRemaining(server);
  await once(server, 'close');
}
