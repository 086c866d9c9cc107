import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import type { WebSocket } from 'ws';
import { connectionLimits } from '../../shared/domain/connection-limits.ts';
import { ADMINISTRATORS } from '../../shared/domain/v2/groups.ts';
import { MonError } from '../../shared/errors.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../shared/schemas/feed.ts';
import type { MachineClock } from '../clock/machine-clock.ts';
import { CommandRunner } from '../command/command-runner.ts';
import { LoadedFiles } from '../private-files/loaded-files.ts';
import type { Log, LogRequest } from '../log/log.ts';
import { Activity } from './health/activity.ts';
import { NOBODY, refuseWithoutAccess, type Principal } from './access/principal.ts';
import { Authenticator } from './access/authenticator.ts';
import { Bcrypt } from './access/bcrypt.ts';
import { Callers } from './access/caller.ts';
import { isLoopback } from './http/host.ts';
import { LocalToken } from './access/local-token.ts';
import { Passwords } from './access/password.ts';
import type { ApiParts } from './http/parts.ts';
import { close, listen } from './http/listen.ts';
import { openServer } from './http/server.ts';
import { ConfigInForce } from './config/config-in-force.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { reload } from './config/reload.ts';
import { watchConfig } from './config/watch-config.ts';
import { DiskGuard } from './store/disk-guard.ts';
import { openChangeLog } from './feed/change-log.ts';
import { FeedHub } from './feed/feed-hub.ts';
import { FeedLogins } from './feed/feed-login.ts';
import { DeadLetters } from './handlers/dead-letters.ts';
import { Delivery } from './handlers/deliver.ts';
import { LastDeliveries } from './handlers/last-deliveries.ts';
import { JobRunner } from './handlers/run-jobs.ts';
import { Aggregates } from './aggregates/write.ts';
import { leaveLocalAccess, localUrlOf, type LocalPlaces } from './access/local-access.ts';
import { SHARD } from './store/main-shard.ts';
import { MemoryBudget, startGuard } from './health/memory-budget.ts';
import { Metrics } from './health/metrics.ts';
import { openFilesMax } from './store/open-files.ts';
import { ApiCommands } from './audit/api-commands.ts';
import { ApiKeys } from './access/api-keys.ts';
import { AttributeBounds } from './results/attribute-bounds.ts';
import { Audit } from './audit/write.ts';
import { Batcher, type BatcherOptions } from './commit/batcher.ts';
import { Bulk } from './bulk/write.ts';
import { Checks } from './checks/write.ts';
import { Clients } from './clients/write.ts';
import { V2Events } from './events/v2-write.ts';
import { Entities } from './clients/v2-write.ts';
import { EntityLimit } from './clients/entity-limit.ts';
import { DefinitionChanges } from './definitions/write.ts';
import { Events } from './events/write.ts';
import { HandlerJobs } from './handlers/write-jobs.ts';
import { logHandling } from './handlers/log-handling.ts';
import { Namespaces } from './namespaces/write.ts';
import { CheckNames } from './checks/rename.ts';
import { CheckRequests } from './checks/runs.ts';
import { RoleGuard } from './access/role-guard.ts';
import { Restore } from './dump/restore.ts';
import { Results } from './results/write.ts';
import { Plans } from './plans/write.ts';
import { Sessions } from './access/sessions.ts';
import { SilencedEntries } from './silences/write.ts';
import { StaleResults } from './results/write-stale.ts';
import { StashMigrations } from './stashes/migrations.ts';
import { Stashes } from './stashes/write.ts';
import { UnsilencedEvents } from './silences/write-unsilenced.ts';
import { Users } from './access/users.ts';
import type { Disk, Store } from './ports.ts';
import { StoredDefinitions } from './definitions/state.ts';
import { hasAdministrator } from './access/scopes-of-user.ts';
import { Registry } from './registry/registry.ts';
import { PlanRunner } from './plans/plan-runner.ts';
import { expireDepartures } from './clients/expire-departures.ts';
import { expireSilenced } from './silences/clock.ts';
import { expireStashes } from './stashes/clock.ts';
import { handleUnsilenced } from './silences/handle-unsilenced.ts';
import { TimeKeeper } from './schedule/keep-time.ts';
import { publishCheckRequests } from './schedule/publish-check-requests.ts';
import { watchDisk } from './store/watch-disk.ts';
import { watchKeepalives } from './clients/clock.ts';
import { watchTtls } from './results/clock.ts';
import { TimerLag } from './schedule/timer-lag.ts';
import { AGENT_HEADERS, agentEntry, v2AgentEntry } from './agents/agent-access.ts';
import { certificateGuard } from './agents/agent-certificate.ts';
import { AgentHub } from './agents/agent-hub.ts';
import { openAgentListener } from './agents/agent-listener.ts';
import { Connections } from './http/connections.ts';
import { serverMaker, type MakeServer, type RequestTimes } from './http/http-server.ts';
import { LiveSockets } from './sockets/live-sockets.ts';
import { SlowPeers } from './http/slow-peers.ts';
import { pathOf, refuseForeignOrigin, routeUpgrades, type Endpoint } from './sockets/upgrades.ts';
import { warnOfExpressions } from './config/warn-of-expressions.ts';
import { warnOfShellTokens } from './config/warn-of-shell-tokens.ts';
import { listenersOf, refuseOpenHttp, type ListenerName } from './tls/listeners.ts';
import { ListenersTls } from './tls/server-tls.ts';
import { StoreUpgrades } from './store/upgrade/store-upgrades.ts';
import { EventHandling } from './handlers/event-handling.ts';
import type { BackendStatus } from './health/backend-status.ts';

const LEASE_MS = 30_000;

/** Longest frame of an agent: a full one of the largest results. */
const AGENT_FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** Of one event, which may bring a long output or many metrics. */
const V2_AGENT_FRAME_BYTES_MAX = 2 * 1024 * 1024;
const FEED_FRAME_BYTES_MAX = 64 * 1024;

const MIB = 1024 * 1024;

/** A peer that takes nothing of what there is for it is cut after this; the feed has less patience. */
const READ_STALL_MS = 60_000;

export interface BackendOptions {
  readonly config: LoadedConfig;
  /** Reads the configuration again; without it there is no reload. */
  readonly loadConfig?: () => Promise<LoadedConfig>;
  readonly openStore: () => Promise<Store>;
  /** Bytes of the files of the store; absent when it has none. */
  readonly storeBytes?: () => Promise<number>;
  /** Where the store is; absent: it is not looked at, and nothing is refused for want of room. */
  readonly disk?: Disk;
  /** Of the machine, which somebody may set. */
  readonly clock: MachineClock;
  readonly log: Log;
  /** Told about each answer of the API. */
  readonly logRequest?: LogRequest;
  /** Address and port to listen on; port 0 takes a free one. */
  readonly bind: string;
  readonly port: number;
  /** Whether an address that others can reach is fine without credentials. */
  readonly isInsecureAllowed?: boolean;
  /** Where the programs on this machine find their way in; absent: nowhere. */
  readonly localPlaces?: LocalPlaces;
  readonly batcher?: BatcherOptions;
  readonly requestTimes?: RequestTimes;
}

export interface Backend {
  /** Where it listens, `http://127.0.0.1:4567`. */
  readonly url: string;
  /** Where agents can connect besides, `ws://127.0.0.1:8081`; undefined: nowhere. */
  readonly agentUrl?: string | undefined;
  /** Where the newer API is besides, `http://127.0.0.1:8080`; undefined: nowhere. */
  readonly v2Url?: string | undefined;
  /** Reads the configuration again, whether or not a file has changed; what is wrong with it is in the log. */
  reload(): Promise<void>;
  /** Stops taking work in, commits what waits, closes the store. */
  stop(): Promise<void>;
}

/**
 * Builds the backend; what is built last stops first, also when a later step fails.
 *
 * @throws MonError `invalid` or `conflict` when it cannot start this way
 */
export async function compose(options: BackendOptions): Promise<Backend> {
  const { clock: machine, log } = options;
  await using parts = new AsyncDisposableStack();

  const listeners = listenersOf(options.bind, options.config);
  const tls = parts.use(new ListenersTls(listeners, { clock: machine, log }));
  const stored = new StoredDefinitions();
  const config = new ConfigInForce(options.config, Math.floor(machine.now() / 1000), stored);
  const disk = new DiskGuard({
    disk: options.disk,
    floorBytes: () => config.program['disk-floor'],
    clock: machine,
    log,
  });
  // A store on a full disk needs what was set aside to be opened.
  await disk.look();
  const store = await options.openStore();
  parts.defer(() => store.close());
  const lease = await store.acquire(SHARD, LEASE_MS);
  parts.defer(() => lease.release());
  const time = await TimeKeeper.open({ store, lease, machine, log });
  parts.defer(() => time.close());
  const { clock } = time;
  const { definitions } = config;
  const auditLimits = {
    get auditLimit() {
      return config.program['audit-limit'];
    },
  };
  const registry = new Registry(auditLimits, stored, {
    onCorrections: (corrections) => clock.adopt(corrections),
    refuseBeyond: startGuard(),
  });
  const memory = new MemoryBudget({
    used: () => registry.bytes,
    setting: () => config.program['memory-limit'],
    clock,
    log,
  });
  await registry.load(store);
  refuseOpenBind(options, options.config, registry);
  for (const { bind, name: listener } of refuseOpenHttp(listeners, options.config.program['insecure-http'])) {
    log.warn({ bind, listener }, 'others can reach this without TLS: passwords and keys can be read on the way');
  }

  // Nothing is committed before it is there.
  let handlers: JobRunner | undefined = undefined;
  const handling = new EventHandling(definitions, () => config.program['handle-when-silence-ends'], {
    isFull: (namespace, handler) => handlers?.isFull(namespace, handler) === true,
  });
  const batcher = new Batcher(
    { registry, store, lease, clock, log, handling, room: disk, memory, anchorDue: () => time.anchorDue() },
    options.batcher,
  );
  parts.use(logHandling({ batcher, clock, log }));
  parts.use(batcher.onRest(() => definitions.noteStored()));
  parts.defer(() => batcher.close());
  parts.use(time.watch(batcher));
  const entityLimit = new EntityLimit(registry, () => config.program.entity_limit);
  const limits = {
    get proxyClientQuota() {
      return config.program['proxy-client-quota'];
    },
    entityLimit,
  };
  const attributes = new AttributeBounds(() => ({
    bytes: config.program['attributes-limit'],
    keys: config.program['keys-limit'],
  }));
  const results = new Results({ batcher, definitions, clock, limits, attributes });
  const events = new Events(batcher);
  const silencesMax = (): number => config.program['silences-limit'];
  const silenced = new SilencedEntries(batcher, silencesMax);
  const clients = new Clients({
    batcher,
    entityLimit,
    attributes,
    get quarantineSeconds() {
      return config.program['client-quarantine'];
    },
  });
  const entities = new Entities({ batcher, entityLimit, attributes });
  const v2Events = new V2Events({ batcher, definitions, entityLimit, attributes });
  const aggregates = new Aggregates(batcher);
  const stashes = new Stashes(batcher);
  const audit = new Audit(batcher);
  const bulk = new Bulk(batcher, silencesMax);
  const storeUpgrades = parts.use(new StoreUpgrades({ schema: store.schema, audit, clock, log }));
  const checks = new Checks({ batcher, registry });
  warnOfShellTokens(registry.definitions, log);
  warnOfExpressions(registry.definitions, log);
  const apiCommands = new ApiCommands(() => ({
    isAllowed: config.program['api-commands'],
    directories: config.program['api-command-directories'],
  }));
  apiCommands.warnOf(registry.definitions, log);
  const roleGuard = new RoleGuard(() => config.api.user !== undefined);
  const definitionChanges = new DefinitionChanges({ batcher, definitions, commands: apiCommands, roles: roleGuard });
  const namespaces = new Namespaces(batcher);
  const checkNames = new CheckNames({ batcher, registry, definitions });

  const changeLog = await openChangeLog(store, SHARD);
  parts.defer(() => changeLog.close());
  let isStopping = false;
  const agents = parts.use(
    new AgentHub({ batcher, results, clients, registry, store, definitions, isStopping: () => isStopping, clock, log }),
  );
  const noted = await store.watch(SHARD, store.lastSeq(SHARD), ({ changes }) => agents.noteChanges(changes));
  parts.defer(() => noted.close());
  const name = hostname();
  const feed = parts.use(
    new FeedHub({ registry, batcher, changes: changeLog.log, clock, log, storeId: store.id, name, entityLimit }),
  );

  const jobs = parts.use(new HandlerJobs({ batcher, clock, log }));
  const deadLetters = new DeadLetters({ jobs, clock, log });
  const last = new LastDeliveries();
  const environment = await leaveLoadedFiles(options, config, parts);
  const commands = parts.use(new CommandRunner({ environment, clock, log, chance: Math.random }));
  const delivery = parts.use(
    new Delivery({
      definitions,
      clock,
      log,
      commands,
      feed,
      clients,
      registry,
      networks: () => config.program['handler-networks'],
    }),
  );
  // Before anything can be committed, so that what the last run left comes first.
  handlers = parts.use(
    await JobRunner.start({
      definitions,
      delivery,
      jobs,
      deadLetters,
      last,
      batcher,
      registry,
      store,
      clock,
      log,
      chance: Math.random,
    }),
  );

  parts.use(await expireSilenced({ registry, store, shard: SHARD, silenced, clock, log }));
  const unsilenced = new UnsilencedEvents(batcher);
  parts.use(await handleUnsilenced({ registry, store, shard: SHARD, unsilenced, clock, log }));
  parts.use(await expireStashes({ registry, store, shard: SHARD, stashes, clock, log }));
  parts.use(await expireDepartures({ registry, store, shard: SHARD, clients, clock, log }));
  parts.use(watchKeepalives({ registry, results, clients, definitions, store, disk, clock, log }));
  parts.use(watchTtls({ registry, stale: new StaleResults(batcher), disk, clock, log }));
  if (options.disk !== undefined) {
    parts.use(watchDisk({ guard: disk, registry, results, client: clientNameOf(name), clock, log }));
  }
  const requests = parts.use(
    new CheckRequests({
      definitions,
      registry,
      store,
      clock,
      log,
      publish: (namespace, to, check) => agents.publish(namespace, to, check),
    }),
  );
  const schedule = parts.use(
    publishCheckRequests({
      definitions,
      clock,
      log,
      namespaces: () => registry.declared.names(),
      publish: (namespace, check, periodMs) => requests.publish(namespace, check, { periodMs }),
    }),
  );

  const activity = parts.use(await Activity.open({ store, shard: SHARD, batcher, clock }));

  const status: BackendStatus = {
    id: randomUUID(),
    hostname: name,
    address: options.bind,
    tasks: ['check_request_publisher', 'client_monitor', 'check_result_monitor'],
    get queuedResults() {
      return batcher.queued;
    },
    get isTakingResults() {
      return batcher.isOpen;
    },
    get isStoreOpen() {
      return !batcher.isFailing;
    },
  };
  const callers = new Callers(() => config.program['trusted-proxies']);
  const filesMax = openFilesMax();
  const connections = parts.use(
    new Connections({
      limits: () => {
        const { 'connection-limit': all, 'connection-limit-per-address': perAddress } = config.program;
        return connectionLimits(all, perAddress, filesMax);
      },
      isShared: (address) => callers.isShared(address),
      clock,
      log,
    }),
  );
  const slowPeers = parts.use(
    new SlowPeers({
      limits: () => {
        const { 'buffer-limit': all, 'buffer-limit-per-connection': each } = config.program;
        return { all: all * MIB, each: each * MIB, stallMs: READ_STALL_MS };
      },
      clock,
      log,
    }),
  );
  const timers = parts.use(new TimerLag(clock));
  const metrics = parts.use(
    new Metrics({
      registry,
      batcher,
      disk,
      memory,
      results,
      agents,
      feed,
      connections,
      slowPeers,
      handlers,
      deadLetters,
      timers,
      clock,
    }),
  );
  const bcrypt = parts.use(new Bcrypt(clock));
  const configuredUser = (): string | undefined => config.api.user;
  const users = new Users({
    batcher,
    hashPassword: (password) => bcrypt.hash(password),
    isAdminConfigured: () => configuredUser() !== undefined,
  });
  const apiKeys = parts.use(new ApiKeys({ batcher, clock, log, configuredUser }));
  const restore = new Restore({
    batcher,
    definitions,
    commands: apiCommands,
    roles: roleGuard,
    entityLimit,
    configuredUser,
    silencesMax,
  });
  const groupsOf = (user: string): readonly string[] =>
    user === configuredUser() ? [ADMINISTRATORS] : (registry.credentials.users.get(user)?.groups ?? []);
  const sessions = parts.use(new Sessions({ batcher, registry, clock, log, groupsOf }));
  const local = LocalToken.make();
  const authenticator = new Authenticator({
    config,
    localToken: local.token,
    place: status,
    registry,
    passwords: new Passwords(bcrypt),
    apiKeys,
    sessions,
    certificates: tls,
    clock,
    log,
  });
  const runbooks = parts.use(
    await PlanRunner.start({
      registry,
      store,
      batcher,
      definitionChanges,
      namespaces,
      stashMigrations: new StashMigrations(batcher, silencesMax),
      storeUpgrades,
      runbooks: new Plans(batcher),
      facts: { registry, definitions, entityLimit, clock, name, store, stateDir: config.program['state-dir'] },
      clock,
      startedMs: clock.now(),
      log,
    }),
  );
  const apiParts: ApiParts = {
    slowPeers,
    results,
    events,
    silenced,
    entities,
    v2Events,
    clients,
    aggregates,
    stashes,
    checks,
    definitionChanges,
    namespaces,
    checkNames,
    handlers,
    deadLetters,
    requests,
    audit,
    bulk,
    restore,
    entityLimit,
    schedule,
    registry,
    store,
    clock,
    log,
    ...(options.logRequest === undefined ? {} : { logRequest: options.logRequest }),
    authenticator,
    callers,
    users,
    apiKeys,
    sessions,
    config,
    status,
    metrics,
    overview: { activity, batcher, clock, entityLimit, feed, metrics, registry },
    versions: { registry, store, ...(options.storeBytes === undefined ? {} : { storeBytes: options.storeBytes }) },
    health: { registry, store, batcher, disk, memory, feed, handlers, deadLetters, timers, time: clock, clock },
    handling,
    deliveries: last,
    storeUpgrades,
    upgrades: runbooks,
  };
  const makeServerOf = (listener: ListenerName): MakeServer =>
    serverMaker(connections, slowPeers, options.requestTimes, tls.of(listener));
  const makeServer = makeServerOf('api');
  const app = await openServer(apiParts, { kind: 'all' }, makeServer);
  const apps = [app];
  parts.defer(() => Promise.all(apps.map((one) => close(one, connections))).then(() => undefined));
  const sockets = parts.use(
    new LiveSockets({
      clock,
      renewed: (principal, sinceMs) => authenticator.renewed(principal, sinceMs),
      version: () => authenticator.version(),
      onCommit: (listener) => batcher.onRest(listener),
    }),
  );
  const feedLogins = new FeedLogins();
  const logInToFeed = (socket: WebSocket, request: IncomingMessage): void =>
    feedLogins.wait(socket, {
      clock,
      admit: (key) => authenticator.ofKey(key, callers.addressOf(request)),
      accept: (peer, principal) => {
        refuseWithoutAccess(principal, { access: 'read', url: FEED_PATH, namespace: undefined });
        sockets.refuseTooMany(principal, 'read');
        sockets.add(peer, principal, 'read');
        feed.accept(peer);
      },
    });
  const guard = (request: IncomingMessage): Promise<Principal> | Principal => {
    const { headers, url } = request;
    const isToSayLater = headers.authorization === undefined && !authenticator.isOpen && url === FEED_PATH;
    const principal = isToSayLater ? NOBODY : authenticator.authorize(headers, callers.addressOf(request));
    const admit = (admitted: Principal): Principal => {
      refuseForeignOrigin(request);
      return admitted;
    };
    return principal instanceof Promise ? principal.then(admit) : admit(principal);
  };
  const guardAgents = certificateGuard(guard);
  const ownAgents: Endpoint = {
    path: AGENT_PATH,
    protocol: AGENT_PROTOCOL,
    maxPayload: AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...agentEntry(AGENT_HEADERS, { registry, entityLimit }, (socket, identity) =>
      agents.accept(socket, identity, sockets.admissionOf(socket)),
    ),
  };
  const v2Agents: Endpoint = {
    path: '/',
    maxPayload: V2_AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...v2AgentEntry({ registry, entityLimit }, (socket, identity) =>
      agents.acceptV2(socket, identity, sockets.admissionOf(socket)),
    ),
  };
  const upgrades = routeUpgrades(
    app.server,
    [
      ownAgents,
      {
        path: FEED_PATH,
        protocol: FEED_PROTOCOL,
        maxPayload: FEED_FRAME_BYTES_MAX,
        access: 'read',
        canLogInLater: true,
        accept: (socket, principal, request) => {
          if (principal.via === 'nobody') logInToFeed(socket, request);
          else feed.accept(socket);
        },
      },
    ],
    { guard: (request) => (pathOf(request) === AGENT_PATH ? guardAgents : guard)(request), sockets, slowPeers },
  );
  parts.use(upgrades);
  const url = await listen(app, { bind: options.bind, port: options.port }, makeServer);
  const localUrl = localUrlOf(url, options.bind);
  if (options.localPlaces !== undefined && localUrl !== undefined) {
    parts.use(await leaveLocalAccess({ url: localUrl, token: local.text }, options.localPlaces, log));
  }
  const v2Address = options.config.program['core-api'];
  let v2Url: string | undefined;
  if (v2Address !== undefined) {
    const makeV2Server = makeServerOf('core-api');
    const v2App = await openServer(apiParts, { kind: 'core', bind: v2Address.bind }, makeV2Server);
    apps.push(v2App);
    v2Url = await listen(v2App, v2Address, makeV2Server, 'core-api.port');
  }
  const agentAddress = options.config.program['agent-listener'];
  const agentListener =
    agentAddress === undefined
      ? undefined
      : parts.use(
          await openAgentListener(
            agentAddress,
            [ownAgents, v2Agents],
            {
              sockets,
              slowPeers,
              guard: certificateGuard((request) => {
                if (!authenticator.isOpen || isLoopback(agentAddress.bind)) return guard(request);
                // Its names are unknown here, so no Host can be told to be a foreign one.
                refuseForeignOrigin(request);
                return authenticator.whileOpen(request.headers, request.socket.remoteAddress ?? '');
              }),
            },
            { connections, makeServer: makeServerOf('agent-listener') },
          ),
        );

  const { loadConfig } = options;
  const watch =
    loadConfig === undefined
      ? undefined
      : parts.use(
          watchConfig({
            folders: options.config.folders,
            reload: () =>
              reload({
                load: loadConfig,
                config,
                check: (next) => refuseOpenBind(options, next, registry),
                clock,
                log,
              }),
            clock,
            log,
          }),
        );

  const running = parts.move();
  return {
    url,
    agentUrl: agentListener?.url,
    v2Url,
    reload: async () => {
      tls.reload();
      await watch?.reload();
    },
    stop: () => {
      isStopping = true;
      return running.disposeAsync();
    },
  };
}

/** A host name as the name of a client, which is made of word characters, dots and hyphens. */
function clientNameOf(host: string): string {
  return host.replaceAll(/[^\w.-]/g, '-');
}

/** @throws MonError `invalid` when everybody who can reach the address could use the API */
function refuseOpenBind(
  { bind, config, isInsecureAllowed }: BackendOptions,
  { api }: LoadedConfig,
  { credentials }: Registry,
): void {
  const { 'agent-listener': agentListener, 'core-api': v2Api } = config.program;
  const open = [bind, agentListener?.bind, v2Api?.bind].find((own) => own !== undefined && !isLoopback(own));
  if (open === undefined || api.user !== undefined || isInsecureAllowed === true) return;
  if (hasAdministrator(credentials.users, credentials.roles.index)) return;
  throw new MonError(
    'invalid',
    `${open} can be reached by others: make an administrator with mon-backend init, set api.user and api.password, or allow it with --insecure`,
  );
}

/** @returns what tells commands where they find the configuration */
async function leaveLoadedFiles(
  { localPlaces, log }: BackendOptions,
  config: ConfigInForce,
  parts: AsyncDisposableStack,
): Promise<readonly string[]> {
  if (localPlaces === undefined) return [];
  const files = parts.use(new LoadedFiles(localPlaces.stateDir, log));
  await files.write(config.files);
  parts.use(config.definitions.onChange(() => void files.write(config.files)));
  return files.environment;
}
