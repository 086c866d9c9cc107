import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { MonError } from '../../shared/errors.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../shared/schemas/feed.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { CommandRunner } from '../command/command-runner.ts';
import type { Log, LogRequest } from '../log/log.ts';
import { Activity } from './activity.ts';
import { authorizer } from './api/auth.ts';
import { isLoopback } from './api/host.ts';
import type { BackendStatus } from './api/legacy/info.ts';
import { close, listen, openServer } from './api/server.ts';
import { ConfigInForce } from './config/config-in-force.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { reload } from './config/reload.ts';
import { watchConfig } from './config/watch-config.ts';
import { openChangeLog } from './feed/change-log.ts';
import { FeedHub } from './feed/feed-hub.ts';
import { DeadLetters } from './handlers/dead-letters.ts';
import { Delivery } from './handlers/deliver.ts';
import { LastDeliveries } from './handlers/last-deliveries.ts';
import { JobRunner } from './handlers/run-jobs.ts';
import { Aggregates } from './pipeline/aggregates.ts';
import { Metrics } from './metrics.ts';
import { Audit } from './pipeline/audit.ts';
import { Batcher, type BatcherOptions } from './pipeline/batcher.ts';
import { Bulk } from './pipeline/bulk.ts';
import { Checks } from './pipeline/checks.ts';
import { Clients } from './pipeline/clients.ts';
import { Events } from './pipeline/events.ts';
import { HandlerJobs } from './pipeline/handler-jobs.ts';
import { EventHandling } from './pipeline/handle-event.ts';
import { logHandling } from './pipeline/log-handling.ts';
import { CheckNames } from './pipeline/rename-check.ts';
import { CheckRequests } from './pipeline/requests.ts';
import { Results } from './pipeline/results.ts';
import { SilencedEntries } from './pipeline/silenced.ts';
import { StaleResults } from './pipeline/stale-results.ts';
import { Stashes } from './pipeline/stashes.ts';
import { UnsilencedEvents } from './pipeline/unsilenced.ts';
import type { Clock, Store } from './ports.ts';
import { Registry } from './registry/registry.ts';
import { expireDepartures } from './scheduler/expire-departures.ts';
import { expireSilenced } from './scheduler/expire-silenced.ts';
import { expireStashes } from './scheduler/expire-stashes.ts';
import { handleUnsilenced } from './scheduler/handle-unsilenced.ts';
import { publishCheckRequests } from './scheduler/publish-check-requests.ts';
import { watchKeepalives } from './scheduler/watch-keepalives.ts';
import { watchTtls } from './scheduler/watch-ttls.ts';
import { TimerLag } from './scheduler/timer-lag.ts';
import { AgentHub } from './transport/agent-hub.ts';
import { refuseForeignOrigin, routeUpgrades } from './transport/upgrades.ts';
import { StoreUpgrades } from './upgrade/store-upgrades.ts';

/** One process owns the one shard there is (architecture, State). */
const SHARD = 'main';
const LEASE_MS = 30_000;

/** Longest frame of an agent: a full one of the largest results. */
const AGENT_FRAME_BYTES_MAX = 16 * 1024 * 1024;
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
  refuseOpenBind(options, options.config);
  await using parts = new AsyncDisposableStack();

  const store = await options.openStore();
  parts.defer(() => store.close());
  const lease = await store.acquire(SHARD, LEASE_MS);
  parts.defer(() => lease.release());
  const config = new ConfigInForce(options.config, Math.floor(clock.now() / 1000));
  const { definitions } = config;
  const registry = new Registry({
    get auditLimit() {
      return config.program['audit-limit'];
    },
  });
  await registry.load(store);

  // Nothing is committed before it is there.
  let handlers: JobRunner | undefined = undefined;
  const handling = new EventHandling(definitions, () => config.program['handle-when-silence-ends'], {
    isFull: (handler) => handlers?.isFull(handler) === true,
  });
  const batcher = new Batcher({ registry, store, lease, clock, log, handling }, options.batcher);
  parts.use(logHandling({ batcher, clock, log }));
  parts.defer(() => batcher.close());
  const limits = {
    get proxyClientQuota() {
      return config.program['proxy-client-quota'];
    },
  };
  const results = new Results({ batcher, definitions, clock, limits });
  const events = new Events(batcher);
  const silenced = new SilencedEntries(batcher);
  const clients = new Clients({
    batcher,
    get quarantineSeconds() {
      return config.program['client-quarantine'];
    },
  });
  const aggregates = new Aggregates(batcher);
  const stashes = new Stashes(batcher);
  const audit = new Audit(batcher);
  const bulk = new Bulk(batcher);
  const storeUpgrades = parts.use(new StoreUpgrades({ schema: store.schema, audit, clock, log }));
  const checks = new Checks({ batcher, registry });
  const checkNames = new CheckNames({ batcher, registry, definitions });

  const changeLog = await openChangeLog(store, SHARD);
  parts.defer(() => changeLog.close());
  const agents = parts.use(new AgentHub({ batcher, results, clients, registry, clock, log }));
  const name = hostname();
  const feed = parts.use(
    new FeedHub({ registry, batcher, changes: changeLog.log, clock, log, storeId: store.id, name }),
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
  parts.use(watchKeepalives({ registry, results, definitions, clock, log }));
  parts.use(watchTtls({ registry, stale: new StaleResults(batcher), clock, log }));
  const requests = parts.use(
    new CheckRequests({ definitions, registry, clock, log, publish: (to, check) => agents.publish(to, check) }),
  );
  const schedule = parts.use(
    publishCheckRequests({
      definitions,
      clock,
      log,
      publish: (check, periodMs) => requests.publish(DEFAULT_NAMESPACE, check, { periodMs }),
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
  const authorize = authorizer({ config, place: status, clock, log });
  const app = await openServer({
    results,
    events,
    silenced,
    clients,
    aggregates,
    stashes,
    checks,
    checkNames,
    handlers,
    deadLetters,
    requests,
    audit,
    bulk,
    schedule,
    registry,
    store,
    clock,
    log,
    ...(options.logRequest === undefined ? {} : { logRequest: options.logRequest }),
    authorize,
    config,
    status,
    metrics,
    overview: { activity, batcher, clock, feed, metrics, registry },
    versions: { registry, store, ...(options.storeBytes === undefined ? {} : { storeBytes: options.storeBytes }) },
    health: { registry, store, batcher, feed, handlers, deadLetters, timers, clock },
    handling,
    deliveries: last,
    storeUpgrades,
  });
  parts.defer(() => close(app));
  const upgrades = routeUpgrades(
    app.server,
    [
      {
        path: AGENT_PATH,
        protocol: AGENT_PROTOCOL,
        maxPayload: AGENT_FRAME_BYTES_MAX,
        accept: (socket) => agents.accept(socket),
      },
      {
        path: FEED_PATH,
        protocol: FEED_PROTOCOL,
        maxPayload: FEED_FRAME_BYTES_MAX,
        accept: (socket) => feed.accept(socket),
      },
    ],
    (request) => {
      const pending = authorize(request.headers, request.socket.remoteAddress ?? '');
      if (pending !== undefined) return pending.then(() => refuseForeignOrigin(request));
      refuseForeignOrigin(request);
      return undefined;
    },
  );
  parts.use(upgrades);
  const url = await listen(app, { bind: options.bind, port: options.port });

  const { loadConfig } = options;
  const watch =
    loadConfig === undefined
      ? undefined
      : parts.use(
          watchConfig({
            folders: options.config.folders,
            reload: () =>
              reload({ load: loadConfig, config, check: (next) => refuseOpenBind(options, next), clock, log }),
            clock,
            log,
          }),
        );

  const running = parts.move();
  return { url, reload: async () => watch?.reload(), stop: () => running.disposeAsync() };
}

/** @throws MonError `invalid` when everybody who can reach the address could use the API */
function refuseOpenBind({ bind, isInsecureAllowed }: BackendOptions, { api }: LoadedConfig): void {
  if (isLoopback(bind) || api.user !== undefined || isInsecureAllowed === true) return;
  throw new MonError(
    'invalid',
    `${bind} can be reached by others: set api.user and api.password, or allow it with --insecure`,
  );
}
