import type { IncomingMessage } from 'node:http';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../shared/schemas/feed.ts';
import { UNAUTHENTICATED, refuseWithoutScope, type Principal } from '../access/principal.ts';
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
import { close, listen } from '../http/listen.ts';
import type { ListenAddress } from '../http/listen-problem.ts';
import { openServer } from '../http/server.ts';
import type { FrameSocket } from '../sockets/frame-socket.ts';
import { LiveSockets } from '../sockets/live-sockets.ts';
import {
  requestPath,
  refuseForeignOrigin,
  routeUpgrades,
  type WebSocketEndpoint,
  type Guard,
} from '../sockets/upgrades.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import type { ListenerName } from '../tls/listeners.ts';
import { serveEverything, serveV2Only, type ApiDeps } from './api.ts';
import type { Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';
import type { Membership } from '../cluster/membership.ts';
import { serveStanding } from '../cluster/peer-news.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';

/** Maximum size of an agent's frame: a full one of the largest results. */
const AGENT_FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum size of one event, which may contain a long output or many metrics. */
const V2_AGENT_FRAME_BYTES_MAX = 2 * 1024 * 1024;
const FEED_FRAME_BYTES_MAX = 64 * 1024;

/** Close code of the WebSocket protocol: the service restarts, and is available at once. */
const SERVICE_RESTART = 1012;

/**
 * Time for which requests on kept connections are answered, if there are other backends: then busy clients move there
 * without a failure.
 */
const LAST_ANSWERS_MS = 500;

interface DoorParts {
  readonly api: ApiDeps;
  readonly agents: AgentHub;
  readonly feed: FeedHub;
  readonly connections: Connections;
  readonly commits: CommitBoard;
  /** Forwards to the other backends; undefined: the store is not shared. */
  readonly forwarding: Forwarding | undefined;
  /** The membership of this backend; undefined: there is no cluster. */
  readonly member: Pick<Membership, 'standing'> | undefined;
  /** Runs handlers for other backends; undefined: there is no cluster. */
  readonly peerRuns: PeerRuns | undefined;
}

/** The URLs of the listeners; undefined: there is no such listener. */
interface Listeners {
  readonly url: string;
  readonly agentUrl: string | undefined;
  readonly v2Url: string | undefined;
}

/** Opens every listener, each with the guard that checks credentials. */
export async function openListeners(
  options: BackendOptions,
  foundation: Foundation,
  parts: DoorParts,
  teardown: Teardown<PartName>,
): Promise<Listeners> {
  const { api, connections, forwarding, member, peerRuns } = parts;
  const { slowPeers } = api;
  const makeServerOf = (listener: ListenerName): MakeServer =>
    serverMaker(connections, slowPeers, options.requestTimes, foundation.tls.of(listener));
  const makeServer = makeServerOf('api');
  const app = await openServer({ ...api, forwarding }, { kind: 'all' }, makeServer, (server, access) => {
    serveEverything(server, api, access);
    peerRuns?.serve(server);
    if (member !== undefined) serveStanding(server, () => member.standing());
  });
  // Closed together, because each may have to wait for responses in progress.
  const apps = [app];
  const lastAnswersMs = forwarding === undefined ? 0 : LAST_ANSWERS_MS;
  teardown.defer('API', async () => {
    await Promise.all(apps.map((one) => close(one, connections, lastAnswersMs)));
  });
  const sockets = teardown.use('sockets', liveSockets(foundation, parts));
  const guard = guardOf(api);
  const namespacesOf: NamespacesOfCertificate = (origin) => api.authenticator.namespacesOf(origin);
  const guardAgents = certificateGuard(guard, namespacesOf);
  const guardAll: Guard = (request) => (requestPath(request) === AGENT_PATH ? guardAgents : guard)(request);
  const ownAgents = agentEndpoint(foundation, parts, sockets);
  const v2Agents = v2AgentEndpoint(foundation, parts, sockets);
  const tunnelled = forwarding === undefined ? [] : [{ ...v2Agents, path: V2_AGENT_TUNNEL_PATH }];
  forwarding?.watchAgents(() => sockets.endAll('submit', SERVICE_RESTART, 'another member is the leader now'));
  const other = forwarding?.openDoor({ server: app.server, connections, slowPeers });
  // After the WebSockets within them.
  if (other !== undefined) teardown.use('tunnels of other backends', other);
  teardown.use(
    'WebSockets',
    routeUpgrades(app.server, [ownAgents, ...tunnelled, feedEndpoint(parts, sockets)], {
      guard: forwarding?.guard(guardAll) ?? guardAll,
      sockets,
      slowPeers,
      other,
    }),
  );
  // Otherwise a listener would wait for these connections.
  if (forwarding !== undefined) teardown.defer('tunnels of agents', () => forwarding.cutTunnels());
  const url = await listen(app, { bind: options.bind, port: options.port }, makeServer);
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
    v2Url = await listen(v2App, v2Address, makeV2Server, 'v2-listener.port');
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

function liveSockets({ clock }: Foundation, { api, commits }: DoorParts): LiveSockets {
  const { authenticator } = api;
  return new LiveSockets({
    clock,
    renewed: (principal) => authenticator.renewed(principal),
    version: () => authenticator.version(),
    commits,
  });
}

/** Returns the guard of WebSockets; consumers of the feed may send their credentials later. */
function guardOf({ authenticator, callers }: ApiDeps): Guard {
  return (request) => {
    const { headers, url } = request;
    const isToSayLater = headers.authorization === undefined && !authenticator.isOpen && url === FEED_PATH;
    const principal = isToSayLater ? UNAUTHENTICATED : authenticator.authorize(headers, callers.addressOf(request));
    const admit = (admitted: Principal): Principal => {
      refuseForeignOrigin(request);
      return admitted;
    };
    return principal instanceof Promise ? principal.then(admit) : admit(principal);
  };
}

/** Returns the guard of the agent listener, which remote agents can reach while no credentials are required. */
function guardOfListener({ authenticator }: ApiDeps, guard: Guard, { bind }: ListenAddress): Guard {
  return (request) => {
    if (!authenticator.isOpen || isLoopback(bind)) return guard(request);
    // Its host names are unknown here, so a foreign Host cannot be detected.
    refuseForeignOrigin(request);
    return authenticator.whileOpen(request.headers, request.socket.remoteAddress ?? '');
  };
}

function agentEndpoint(
  { registry }: Foundation,
  { api, agents, forwarding }: DoorParts,
  sockets: LiveSockets,
): WebSocketEndpoint {
  return {
    path: AGENT_PATH,
    protocol: AGENT_PROTOCOL,
    maxPayload: AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...(forwarding !== undefined && { passOn: forwarding.passOn(AGENT_PATH) }),
    ...agentEntry(AGENT_HEADERS, { registry, entityLimit: api.entityLimit }, (socket, identity) =>
      agents.accept(socket, identity, sockets.admissionOf(socket)),
    ),
  };
}

function v2AgentEndpoint(
  { registry }: Foundation,
  { api, agents, forwarding }: DoorParts,
  sockets: LiveSockets,
): WebSocketEndpoint {
  return {
    path: '/',
    maxPayload: V2_AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...(forwarding !== undefined && { passOn: forwarding.passOn(V2_AGENT_TUNNEL_PATH) }),
    ...v2AgentEntry({ registry, entityLimit: api.entityLimit }, (socket, identity) =>
      agents.acceptV2(socket, identity, sockets.admissionOf(socket)),
    ),
  };
}

function feedEndpoint({ api, feed }: DoorParts, sockets: LiveSockets): WebSocketEndpoint {
  const { authenticator, callers, clock } = api;
  const logins = new FeedLogins();
  const logIn = (socket: FrameSocket, request: IncomingMessage): void =>
    logins.wait(socket, {
      network: networkOf(callers.addressOf(request)),
      clock,
      admit: (key) => authenticator.ofKey(key, callers.addressOf(request)),
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
    // The namespaces that it may read are checked when it requests them.
    admit: () => undefined,
    accept: (socket, principal, request) => {
      if (principal.via === 'nobody') logIn(socket, request);
      else feed.accept(socket, principal);
    },
  };
}
