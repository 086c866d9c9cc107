import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import type { WebSocket } from 'ws';
import { MonError } from '../../shared/errors.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../shared/schemas/feed.ts';
import { CommandRunner } from '../command/command-runner.ts';
import type { Log, LogRequest } from '../log/log.ts';
import { Activity } from './activity.ts';
import { ANONYMOUS, NOBODY, refuseWithoutAccess, type Principal } from './api/access.ts';
import { Authenticator } from './api/auth.ts';
import { Bcrypt } from './api/bcrypt.ts';
import { isLoopback } from './api/host.ts';
import { Passwords } from './api/password.ts';
import type { BackendStatus } from './api/legacy/info.ts';
import type { ApiParts } from './api/parts.ts';
import { close, listen, openServer } from './api/server.ts';
import { ConfigInForce } from './config/config-in-force.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { reload } from './config/reload.ts';
import { watchConfig } from './config/watch-config.ts';
import { openChangeLog } from './feed/change-log.ts';
import { FeedHub } from './feed/feed-hub.ts';
import { FeedLogins } from './feed/feed-login.ts';
import { DeadLetters } from './handlers/dead-letters.ts';
import { Delivery } from './handlers/deliver.ts';
import { LastDeliveries } from './handlers/last-deliveries.ts';
import { JobRunner } from './handlers/run-jobs.ts';
import { Aggregates } from './pipeline/aggregates.ts';
import { Metrics } from './metrics.ts';
import { ApiKeys } from './pipeline/api-keys.ts';
import { Audit } from './pipeline/audit.ts';
import { Batcher, type BatcherOptions } from './pipeline/batcher.ts';
import { Bulk } from './pipeline/bulk.ts';
import { Checks } from './pipeline/checks.ts';
import { Clients } from './pipeline/clients.ts';
import { CoreEvents } from './pipeline/core-events.ts';
import { Entities } from './pipeline/entities.ts';
import { EntityLimit } from './pipeline/entity-limit.ts';
import { DefinitionChanges } from './pipeline/definitions.ts';
import { Events } from './pipeline/events.ts';
import { HandlerJobs } from './pipeline/handler-jobs.ts';
import { EventHandling } from './pipeline/handle-event.ts';
import { logHandling } from './pipeline/log-handling.ts';
import { Namespaces } from './pipeline/namespaces.ts';
import { CheckNames } from './pipeline/rename-check.ts';
import { CheckRequests } from './pipeline/requests.ts';
import { Restore } from './pipeline/restore.ts';
import { Results } from './pipeline/results.ts';
import { Runbooks } from './pipeline/runbooks.ts';
import { Sessions } from './pipeline/sessions.ts';
import { SilencedEntries } from './pipeline/silenced.ts';
import { StaleResults } from './pipeline/stale-results.ts';
import { StashMigrations } from './pipeline/stash-migrations.ts';
import { Stashes } from './pipeline/stashes.ts';
import { UnsilencedEvents } from './pipeline/unsilenced.ts';
import { Users } from './pipeline/users.ts';
import type { Clock, Store } from './ports.ts';
import { StoredDefinitions } from './registry/definitions.ts';
import { hasAdministrator } from './registry/principals.ts';
import { Registry } from './registry/registry.ts';
import { RunbookRunner } from './runbook/runbook-runner.ts';
import { expireDepartures } from './scheduler/expire-departures.ts';
import { expireSilenced } from './scheduler/expire-silenced.ts';
import { expireStashes } from './scheduler/expire-stashes.ts';
import { handleUnsilenced } from './scheduler/handle-unsilenced.ts';
import { publishCheckRequests } from './scheduler/publish-check-requests.ts';
import { watchKeepalives } from './scheduler/watch-keepalives.ts';
import { watchTtls } from './scheduler/watch-ttls.ts';
import { TimerLag } from './scheduler/timer-lag.ts';
import { AGENT_HEADERS, agentEntry, coreAgentEntry } from './transport/agent-access.ts';
import { AgentHub } from './transport/agent-hub.ts';
import { openAgentListener } from './transport/agent-listener.ts';
import { LiveSockets } from './transport/live-sockets.ts';
import { refuseForeignOrigin, routeUpgrades, type Endpoint } from './transport/upgrades.ts';
import { StoreUpgrades } from './upgrade/store-upgrades.ts';

/** One process owns the one shard there is (architecture, State). */
const SHARD = 'main';
const LEASE_MS = 30_000;

/** Longest frame of an agent: a full one of the largest results. */
const AGENT_FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** Of one event, which may bring a long output or many metrics. */
const CORE_AGENT_FRAME_BYTES_MAX = 2 * 1024 * 1024;
const FEED_FRAME_BYTES_MAX = 64 * 1024;

export interface BackendOptions {
  readonly config: LoadedConfig;
  /** Reads the configuration again; without it there is no reload. */
  readonly loadConfig?: () => Promise<LoadedConfig>;
  readonly openStore: () => Promise<Store>;
  /** Bytes of the files of the store; absent when it has none. */
  readonly storeBytes?: () => Promise<number>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told about each answer of the API. */
  readonly logRequest?: LogRequest;
  /** Address and port to listen on; port 0 takes a free one. */
  readonly bind: string;
  readonly port: number;
  /** Whether an address that others can reach is fine without credentials. */
  readonly isInsecureAllowed?: boolean;
  readonly batcher?: BatcherOptions;
}

export interface Backend {
  /** Where it listens, `http://127.0.0.1:4567`. */
  readonly url: string;
  /** Where agents can connect besides, `ws://127.0.0.1:8081`; undefined: nowhere. */
  readonly agentUrl?: string | undefined;
  /** Where the newer API is besides, `http://127.0.0.1:8080`; undefined: nowhere. */
  readonly coreUrl?: string | undefined;
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
  const { clock, log } = options;
  await using parts = new AsyncDisposableStack();

  const store = await options.openStore();
  parts.defer(() => store.close());
  const lease = await store.acquire(SHARD, LEASE_MS);
  parts.defer(() => lease.release());
  const stored = new StoredDefinitions();
  const config = new ConfigInForce(options.config, Math.floor(clock.now() / 1000), stored);
  const { definitions } = config;
  const auditLimits = {
    get auditLimit() {
      return config.program['audit-limit'];
    },
  };
  const registry = new Registry(auditLimits, stored);
  await registry.load(store);
  refuseOpenBind(options, options.config, registry);

  // Nothing is committed before it is there.
  let handlers: JobRunner | undefined = undefined;
  const handling = new EventHandling(definitions, () => config.program['handle-when-silence-ends'], {
    isFull: (namespace, handler) => handlers?.isFull(namespace, handler) === true,
  });
  const batcher = new Batcher({ registry, store, lease, clock, log, handling }, options.batcher);
  parts.use(logHandling({ batcher, clock, log }));
  parts.use(batcher.onRest(() => definitions.noteStored()));
  parts.defer(() => batcher.close());
  const entityLimit = new EntityLimit(registry, () => config.program.entity_limit);
  const limits = {
    get proxyClientQuota() {
      return config.program['proxy-client-quota'];
    },
    entityLimit,
  };
  const results = new Results({ batcher, definitions, clock, limits });
  const events = new Events(batcher);
  const silenced = new SilencedEntries(batcher);
  const clients = new Clients({
    batcher,
    entityLimit,
    get quarantineSeconds() {
      return config.program['client-quarantine'];
    },
  });
  const entities = new Entities({ batcher, entityLimit });
  const coreEvents = new CoreEvents({ batcher, definitions, entityLimit });
  const aggregates = new Aggregates(batcher);
  const stashes = new Stashes(batcher);
  const audit = new Audit(batcher);
  const bulk = new Bulk(batcher);
  const storeUpgrades = parts.use(new StoreUpgrades({ schema: store.schema, audit, clock, log }));
  const checks = new Checks({ batcher, registry });
  const definitionChanges = new DefinitionChanges({ batcher, definitions });
  const namespaces = new Namespaces(batcher);
  const checkNames = new CheckNames({ batcher, registry, definitions });

  const changeLog = await openChangeLog(store, SHARD);
  parts.defer(() => changeLog.close());
  let isStopping = false;
  const agents = parts.use(
    new AgentHub({ batcher, results, clients, registry, definitions, isStopping: () => isStopping, clock, log }),
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
  const commands = parts.use(new CommandRunner({ clock, log, chance: Math.random }));
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
  parts.use(watchKeepalives({ registry, results, clients, definitions, clock, log }));
  parts.use(watchTtls({ registry, stale: new StaleResults(batcher), clock, log }));
  const requests = parts.use(
    new CheckRequests({
      definitions,
      registry,
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
  const timers = parts.use(new TimerLag(clock));
  const metrics = parts.use(
    new Metrics({ registry, batcher, results, agents, feed, handlers, deadLetters, timers, clock }),
  );
  const bcrypt = parts.use(new Bcrypt(clock));
  const configuredUser = (): string | undefined => config.api.user;
  const users = new Users({
    batcher,
    hashPassword: (password) => bcrypt.hash(password),
    isAdminConfigured: () => configuredUser() !== undefined,
  });
  const apiKeys = parts.use(new ApiKeys({ batcher, clock, log, configuredUser }));
  const restore = new Restore({ batcher, definitions, entityLimit, configuredUser });
  const sessions = parts.use(new Sessions({ batcher, registry, clock, log }));
  const authenticator = new Authenticator({
    config,
    place: status,
    registry,
    passwords: new Passwords(bcrypt),
    apiKeys,
    sessions,
    clock,
    log,
  });
  const runbooks = parts.use(
    await RunbookRunner.start({
      registry,
      store,
      batcher,
      definitionChanges,
      namespaces,
      stashMigrations: new StashMigrations(batcher),
      storeUpgrades,
      runbooks: new Runbooks(batcher),
      facts: { registry, definitions, entityLimit, clock, name, store, stateDir: config.program['state-dir'] },
      clock,
      startedMs: clock.now(),
      log,
    }),
  );
  const apiParts: ApiParts = {
    results,
    events,
    silenced,
    entities,
    coreEvents,
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
    users,
    apiKeys,
    sessions,
    config,
    status,
    metrics,
    overview: { activity, batcher, clock, entityLimit, feed, metrics, registry },
    versions: { registry, store, ...(options.storeBytes === undefined ? {} : { storeBytes: options.storeBytes }) },
    health: { registry, store, batcher, feed, handlers, deadLetters, timers, clock },
    handling,
    deliveries: last,
    storeUpgrades,
    upgrades: runbooks,
  };
  const app = await openServer(apiParts);
  parts.defer(() => close(app));
  const sockets = parts.use(
    new LiveSockets({
      clock,
      renewed: (principal, sinceMs) => authenticator.renewed(principal, sinceMs),
      version: () => authenticator.version(),
      onCommit: (listener) => batcher.onRest(listener),
    }),
  );
  const feedLogins = new FeedLogins();
  const logInToFeed = (socket: WebSocket, { socket: { remoteAddress = '' } }: IncomingMessage): void =>
    feedLogins.wait(socket, {
      clock,
      admit: (key) => authenticator.ofKey(key, remoteAddress),
      accept: (peer, principal) => {
        refuseWithoutAccess(principal, { access: 'read', url: FEED_PATH, namespace: undefined });
        sockets.refuseTooMany(principal, 'read');
        sockets.add(peer, principal, 'read');
        feed.accept(peer);
      },
    });
  const guard = (request: IncomingMessage): Promise<Principal> | Principal => {
    const { headers, socket, url } = request;
    const isToSayLater = headers.authorization === undefined && !authenticator.isOpen && url === FEED_PATH;
    const principal = isToSayLater ? NOBODY : authenticator.authorize(headers, socket.remoteAddress ?? '');
    const admit = (admitted: Principal): Principal => {
      refuseForeignOrigin(request);
      return admitted;
    };
    return principal instanceof Promise ? principal.then(admit) : admit(principal);
  };
  const ownAgents: Endpoint = {
    path: AGENT_PATH,
    protocol: AGENT_PROTOCOL,
    maxPayload: AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...agentEntry(AGENT_HEADERS, { registry, entityLimit }, (socket, { namespace }) =>
      agents.accept(socket, namespace),
    ),
  };
  const coreAgents: Endpoint = {
    path: '/',
    maxPayload: CORE_AGENT_FRAME_BYTES_MAX,
    access: 'submit',
    ...coreAgentEntry({ registry, entityLimit }, (socket, identity) => agents.acceptCore(socket, identity)),
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
    { guard, sockets },
  );
  parts.use(upgrades);
  const url = await listen(app, { bind: options.bind, port: options.port });
  const coreAddress = options.config.program['core-api'];
  let coreUrl: string | undefined;
  if (coreAddress !== undefined) {
    const coreApp = await openServer(apiParts, { kind: 'core', bind: coreAddress.bind });
    parts.defer(() => close(coreApp));
    coreUrl = await listen(coreApp, coreAddress, 'core-api.port');
  }
  const agentAddress = options.config.program['agent-listener'];
  const agentListener =
    agentAddress === undefined
      ? undefined
      : parts.use(
          await openAgentListener(agentAddress, [ownAgents, coreAgents], {
            sockets,
            guard: (request) => {
              if (!authenticator.isOpen || isLoopback(agentAddress.bind)) return guard(request);
              // Its names are unknown here, so no Host can be told to be a foreign one.
              refuseForeignOrigin(request);
              return ANONYMOUS;
            },
          }),
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
    coreUrl,
    reload: async () => watch?.reload(),
    stop: () => {
      isStopping = true;
      return running.disposeAsync();
    },
  };
}

/** @throws MonError `invalid` when everybody who can reach the address could use the API */
function refuseOpenBind(
  { bind, config, isInsecureAllowed }: BackendOptions,
  { api }: LoadedConfig,
  { credentials }: Registry,
): void {
  const { 'agent-listener': agentListener, 'core-api': coreApi } = config.program;
  const open = [bind, agentListener?.bind, coreApi?.bind].find((own) => own !== undefined && !isLoopback(own));
  if (open === undefined || api.user !== undefined || isInsecureAllowed === true) return;
  if (hasAdministrator(credentials)) return;
  throw new MonError(
    'invalid',
    `${open} can be reached by others: make an administrator with mon-backend init, set api.user and api.password, or allow it with --insecure`,
  );
}
