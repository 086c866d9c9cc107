import type { IncomingMessage } from 'node:http';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../shared/schemas/feed.ts';
import { UNAUTHENTICATED_PRINCIPAL, refuseWithoutScope, type Principal } from '../access/principal.ts';
import { AGENT_HEADERS, agentEntry, v2AgentEntry } from '../agents/agent-access.ts';
import { certificateGuard, type NamespacesOfCertificate } from '../agents/agent-certificate.ts';
import type { Forwarding } from '../cluster/forwarding/forwarding.ts';
import type { PeerRuns } from '../cluster/runs/peer-runs.ts';
import { V2_AGENT_TUNNEL_PATH } from '../cluster/forwarding/peer-headers.ts';
import type { AgentHub } from '../agents/agent-hub.ts';
import { openAgentListener } from '../agents/agent-listener.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import { FeedLogins } from '../feed/feed-login.ts';
import type { Connections } from '../http/connections.ts';
import { isLoopback } from '../access/host.ts';
import { networkOf } from '../access/networks.ts';
import { serverMaker, type MakeServer } from '../http/http-server.ts';
import { closeServer, startListening } from '../http/listen.ts';
import type { ListenAddress } from '../http/listen-problem.ts';
import { openServer } from '../http/server.ts';
import type { FrameSocket } from '../sockets/frame-socket.ts';
import { LiveSockets } from '../sockets/live-sockets.ts';
import {
  requestPath,
  refuseForeignOrigin,
  routeUpgrades,
  type WebSocketEndpoint,
  type UpgradeGuard,
} from '../sockets/upgrades.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { ListenerName } from '../tls/listeners.ts';
import { serveEverything, serveV2Only, type ApiDependencies } from './api.ts';
import type { Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';
import type { Membership } from '../cluster/membership.ts';
import { serveStanding } from '../cluster/peer-news.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';

/** Maximum size of a WebSocket frame of an agent, enough for a full batch of the largest results. */
const AGENT_FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum size of a WebSocket frame of a v2 agent: one event, which may contain a long output or many metrics. */
const V2_AGENT_FRAME_BYTES_MAX = 2 * 1024 * 1024;
const FEED_FRAME_BYTES_MAX = 64 * 1024;

/** WebSocket close code for a service restart: the agent may reconnect at once. */
const SERVICE_RESTART = 1012;

/**
 * Time for which a stopping member answers requests on keep-alive connections and asks the clients to reconnect. Busy
 * clients then move to another member without a failed request.
 */
const KEEP_ALIVE_DRAIN_MS = 500;

interface ListenerDependencies {
  readonly api: ApiDependencies;
  readonly agents: AgentHub;
  readonly feed: FeedHub;
  readonly connections: Connections;
  readonly commits: CommitBoard;
  /** Forwards requests and agents to the leader; undefined if the store is not shared. */
  readonly forwarding: Forwarding | undefined;
  /** The membership of this backend in the cluster; undefined if the store is not shared. */
  readonly member: Pick<Membership, 'standing'> | undefined;
  /** Runs handlers for the leader; undefined if the store is not shared. */
  readonly peerRuns: PeerRuns | undefined;
}

/** The URLs of the listeners; the URL of a listener that is not configured is undefined. */
interface Listeners {
  readonly url: string;
  readonly agentUrl: string | undefined;
  readonly v2Url: string | undefined;
}

/** Opens all listeners. Their guards authenticate the WebSocket connections. */
export async function openListeners(
  options: BackendOptions,
  foundation: Foundation,
  parts: ListenerDependencies,
  teardown: Teardown<PartName>,
): Promise<Listeners> {
  const { api, connections, forwarding, member, peerRuns } = parts;
  const { slowPeers } = api;
  const makeServerOf = (listener: ListenerName): MakeServer =>
    serverMaker(connections, slowPeers, options.requestTimes, foundation.tls.tlsOfListener(listener));
  const makeServer = makeServerOf('api');
  const app = await openServer({ ...api, forwarding }, { kind: 'all' }, makeServer, (server, access) => {
    serveEverything(server, api, access);
    peerRuns?.serve(server);
    if (member !== undefined) serveStanding(server, () => member.standing());
  });
  // The API listeners are closed at the same time, because each may have to wait for responses in progress.
  const apps = [app];
  const lastAnswersMs = forwarding === undefined ? 0 : KEEP_ALIVE_DRAIN_MS;
  teardown.defer('API', async () => {
    await Promise.all(apps.map((one) => closeServer(one, connections, lastAnswersMs)));
  });
  const sockets = teardown.use('sockets', liveSockets(foundation, parts));
  const guard = guardOf(api);
  const namespacesOf: NamespacesOfCertificate = (origin) => api.authenticator.namespacesOf(origin);
  const guardAgents = certificateGuard(guard, namespacesOf);
  const guardAll: UpgradeGuard = (request) => (requestPath(request) === AGENT_PATH ? guardAgents : guard)(request);
  const ownAgents = agentEndpoint(foundation, parts, sockets);
  const v2Agents = v2AgentEndpoint(foundation, parts, sockets);
  const tunnelled = forwarding === undefined ? [] : [{ ...v2Agents, path: V2_AGENT_TUNNEL_PATH }];
  forwarding?.watchAgents(() => sockets.endAll('submit', SERVICE_RESTART, 'another member is the leader now'));
  const otherProtocol = forwarding?.acceptChannels({ server: app.server, connections, slowPeers });
  // The tunnels are registered before the WebSockets, so that they are closed after the WebSockets that use them.
  if (otherProtocol !== undefined) teardown.use('tunnels of other backends', otherProtocol);
  teardown.use(
    'WebSockets',
    routeUpgrades(app.server, [ownAgents, ...tunnelled, feedEndpoint(parts, sockets)], {
      guard: forwarding?.guard(guardAll) ?? guardAll,
      sockets,
      slowPeers,
      otherProtocol,
    }),
  );
  // The tunnels are closed before the API listener, because it waits for its open connections.
  if (forwarding !== undefined) teardown.defer('tunnels of agents', () => forwarding.cutTunnels());
  const url = await startListening(app, { bind: options.bind, port: options.port }, makeServer);
  const { 'v2-listener': v2Address, 'agent-listener': agentAddress } = options.config.program;
  let v2Url: string | undefined;
  if (v2Address !== undefined) {
    const makeV2Server = makeServerOf('v2-listener');
    const v2App = await openServer(
      { ...api, forwarding },
      { kind: 'core', bind: v2Address.bind },
      makeV2Server,
      (server) => serveV2Only(server, api),
    );
    apps.push(v2App);
    v2Url = await startListening(v2App, v2Address, makeV2Server, 'v2-listener.port');
  }
  if (agentAddress === undefined) return { url, v2Url, agentUrl: undefined };
  const listener = await openAgentListener(
    agentAddress,
    [ownAgents, v2Agents],
    { sockets, slowPeers, guard: certificateGuard(guardOfListener(api, guard, agentAddress), namespacesOf) },
    { connections, makeServer: makeServerOf('agent-listener') },
  );
  return { url, v2Url, agentUrl: teardown.use('listener of agents', listener).url };
}

function liveSockets({ clock }: Foundation, { api, commits }: ListenerDependencies): LiveSockets {
  const { authenticator } = api;
  return new LiveSockets({
    clock,
    renewPrincipal: (principal) => authenticator.withCurrentRights(principal),
    version: () => authenticator.credentialsVersion(),
    commits,
  });
}

/** Returns the guard that authenticates WebSockets. A feed consumer may send its credentials after the handshake. */
function guardOf({ authenticator, callers }: ApiDependencies): UpgradeGuard {
  return (request) => {
    const { headers, url } = request;
    const isToSayLater = headers.authorization === undefined && !authenticator.needsNoCredentials && url === FEED_PATH;
    const principal = isToSayLater
      ? UNAUTHENTICATED_PRINCIPAL
      : authenticator.authorize(headers, callers.addressOf(request));
    const admit = (admitted: Principal): Principal => {
      refuseForeignOrigin(request);
      return admitted;
    };
    return principal instanceof Promise ? principal.then(admit) : admit(principal);
  };
}

/** Returns the guard of the agent listener. It admits remote agents while the backend requires no credentials. */
function guardOfListener(
  { authenticator }: ApiDependencies,
  guard: UpgradeGuard,
  { bind }: ListenAddress,
): UpgradeGuard {
  return (request) => {
    if (!authenticator.needsNoCredentials || isLoopback(bind)) return guard(request);
    // The header Host cannot be checked, because the host names of this listener are unknown.
    refuseForeignOrigin(request);
    return authenticator.principalWithoutCredentials(request.headers, request.socket.remoteAddress ?? '');
  };
}

function agentEndpoint(
  { registry }: Foundation,
  { api, agents, forwarding }: ListenerDependencies,
  sockets: LiveSockets,
): WebSocketEndpoint {
  return {
    path: AGENT_PATH,
    protocol: AGENT_PROTOCOL,
    maxPayload: AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...(forwarding !== undefined && { forwardPeer: forwarding.forwarderTo(AGENT_PATH) }),
    ...agentEntry(AGENT_HEADERS, { registry, entityLimit: api.entityLimit }, (socket, identity) =>
      agents.accept(socket, identity, sockets.admissionOf(socket)),
    ),
  };
}

function v2AgentEndpoint(
  { registry }: Foundation,
  { api, agents, forwarding }: ListenerDependencies,
  sockets: LiveSockets,
): WebSocketEndpoint {
  return {
    path: '/',
    maxPayload: V2_AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...(forwarding !== undefined && { forwardPeer: forwarding.forwarderTo(V2_AGENT_TUNNEL_PATH) }),
    ...v2AgentEntry({ registry, entityLimit: api.entityLimit }, (socket, identity) =>
      agents.acceptV2(socket, identity, sockets.admissionOf(socket)),
    ),
  };
}

function feedEndpoint({ api, feed }: ListenerDependencies, sockets: LiveSockets): WebSocketEndpoint {
  const { authenticator, callers, clock } = api;
  const logins = new FeedLogins();
  const logIn = (socket: FrameSocket, request: IncomingMessage): void =>
    logins.wait(socket, {
      network: networkOf(callers.addressOf(request)),
      clock,
      admit: (key) => authenticator.authenticateByKey(key, callers.addressOf(request)),
      accept: (peer, principal) => {
        refuseWithoutScope(principal, 'read');
        sockets.refuseTooMany(principal, 'read');
        sockets.add(peer, principal, 'read');
        feed.accept(peer, principal);
      },
    });
  return {
    path: FEED_PATH,
    protocol: FEED_PROTOCOL,
    maxPayload: FEED_FRAME_BYTES_MAX,
    access: 'read',
    canLogInLater: true,
    // The namespaces that a consumer may read are checked when it requests them.
    admit: () => undefined,
    accept: (socket, principal, request) => {
      if (principal.via === 'nobody') logIn(socket, request);
      else feed.accept(socket, principal);
    },
  };
}
