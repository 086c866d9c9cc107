import type { MonError } from '../../shared/errors.ts';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { connectionLimits } from '../../shared/domain/connection-limits.ts';
import { CommandRunner } from '../command/command-runner.ts';
import { LoadedFiles } from '../private-files/loaded-files.ts';
import { Authenticator } from './access/authenticator.ts';
import { Bcrypt } from './access/bcrypt.ts';
import { Callers } from './access/caller.ts';
import { leaveLocalAccess, localUrlOf } from './access/local-access.ts';
import { LocalToken } from './access/local-token.ts';
import { Passwords } from './access/password.ts';
import { AgentHub } from './agents/agent-hub.ts';
import { bytesOfOutput } from './aggregates/queries.ts';
import { StandaloneCluster } from './cluster/standalone-cluster.ts';
import { Batcher } from './commit/batcher.ts';
import { Forwarding, type ForwardingParts } from './cluster/forwarding/forwarding.ts';
import type { PeerSignatures } from './cluster/forwarding/proof/peer-signatures.ts';
import type { Membership } from './cluster/membership.ts';
import type { ApiDeps } from './compose/api.ts';
import { openSchedule, startClocks } from './compose/clocks.ts';
import { openMembership, openSignatures, selfOf } from './compose/cluster.ts';
import { openListeners } from './compose/open-listeners.ts';
import { openFoundation, refuseOpenBind, type Foundation } from './compose/foundation.ts';
import type { BackendOptions } from './compose/options.ts';
import { openRunsOfAll } from './compose/runs.ts';
import { openWriters, type Writers } from './compose/writers.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { reload } from './config/reload.ts';
import { warnOfExpressions } from './config/warn-of-expressions.ts';
import { warnOfShellTokens } from './config/warn-of-shell-tokens.ts';
import { watchConfig, type ConfigWatch } from './config/watch-config.ts';
import { bytesOfText, KeptByEvent } from './model/events/event-cache.ts';
import { openChangeLog } from './feed/change-log.ts';
import { EventPreparation } from './silences/event-preparation.ts';
import { FeedHub } from './feed/feed-hub.ts';
import { DeadLetters } from './notify/delivery/dead-letters.ts';
import { Delivery } from './notify/delivery/deliver.ts';
import { Lanes } from './notify/delivery/lanes.ts';
import { DeadLetterIndex } from './notify/delivery/dead-letter-index.ts';
import { Routing, type NotificationSettings } from './model/notify/route.ts';
import { LastDeliveries } from './notify/delivery/last-deliveries.ts';
import { SuppressedNotifications } from './notify/count-suppressed.ts';
import { logHandling } from './notify/log-verdicts.ts';
import { JobRunner } from './notify/delivery/run-jobs.ts';
import { HandlerJobs } from './notify/delivery/write-jobs.ts';
import { Activity } from './health/activity.ts';
import type { BackendStatus } from './health/backend-status.ts';
import { ConditionBoard } from './health/condition-board.ts';
import { Metrics } from './health/metrics.ts';
import { MetricSeries } from './notify/delivery/metric-series.ts';
import { Connections } from './http/connections.ts';
import { SlowPeers } from './http/slow-peers.ts';
import { PlanRunner } from './plans/plan-runner.ts';
import { Plans } from './plans/commands.ts';
import { TimerLag } from './schedule/timer-lag.ts';
import { SHARD } from './store/main-shard.ts';
import { TABLES } from './model/tables/tables.ts';
import { openFilesMax } from './store/open-files.ts';
import { Teardown } from './compose/teardown.ts';
import { topicsOf } from './compose/topics.ts';
import { CONNECTION_BUFFER_MIB } from '../../shared/schemas/fixed-limits.ts';
import { plansOf } from './model/plans/state.ts';

const MIB = 1024 * 1024;

/** The time after which a peer that does not read its responses is cut off; the feed has a shorter limit. */
const READ_STALL_MS = 60_000;

export interface Backend {
  /** The URL of the API, such as `http://127.0.0.1:4567`. */
  readonly url: string;
  /** The URL of the separate listener for agents, such as `ws://127.0.0.1:8081`; undefined: there is none. */
  readonly agentUrl?: string | undefined;
  /** The URL of the separate listener for the v2 API, such as `http://127.0.0.1:8080`; undefined: there is none. */
  readonly v2Url?: string | undefined;
  /** Reads the configuration again, whether or not a file has changed; problems are logged. */
  reload(): Promise<void>;
  /** The configuration in force. */
  readonly config: LoadedConfig;
  /**
   * Resolves with the reason when this backend is no longer the leader. It must then be stopped and composed again to
   * become a follower.
   */
  readonly lost: Promise<MonError>;
  /** Stops accepting work, commits pending writes, closes the store. */
  stop(): Promise<void>;
}

/**
 * Builds the backend. Parts stop in reverse order of their start, even if a later step of the start fails.
 *
 * @throws MonError `invalid` or `conflict` if it cannot start with these options
 */
export async function compose(options: BackendOptions): Promise<Backend> {
  const { log } = options;
  await using teardown = new Teardown({ clock: options.clock, log });
  const foundation = await openFoundation(options, TABLES, teardown);
  const { config, definitions, tls, disk, store, clock, registry, memory } = foundation;

  const deadLetterIndex = new DeadLetterIndex();
  const lanes = new Lanes({ definitions, deadLetterIndex, clock });
  const settings = (): NotificationSettings => ({
    renotifiesAfterSilence: config.program['renotify-after-silence'],
    resolveWhileSilenced: config.program['resolve-while-silenced'],
  });
  const routing = new Routing(definitions, settings, lanes);
  const batcher = openBatcher(options, foundation, routing, teardown);
  const bcrypt = teardown.use('password hashing', new Bcrypt(clock));
  const writers = openWriters(foundation, { batcher, bcrypt }, teardown);
  const { results, clients, entityLimit } = writers;
  warnOfDefinitions(foundation, writers);
  warnOfCertificates(foundation);

  const changes = teardown.use('change log', await openChangeLog(store, SHARD, batcher.commits));
  const stopping = new AbortController();
  const agents = teardown.use(
    'agents',
    new AgentHub({ batcher, results, clients, registry, store, definitions, stopping: stopping.signal, clock, log }),
  );
  const name = hostname();
  const preparation = teardown.use('silences of events', new EventPreparation({ registry, commits: batcher.commits }));
  const feed = teardown.use(
    'feed',
    new FeedHub({
      isPrepared: () => preparation.isDone,
      registry,
      batcher,
      topics: topicsOf(definitions),
      changes: changes.log,
      clock,
      log,
      storeId: store.id,
      name,
      isShared: options.isShared,
      entityLimit,
    }),
  );

  const jobs = teardown.use('handler jobs', new HandlerJobs({ batcher, clock, log }));
  const deadLetters = new DeadLetters({ deadLetterIndex, jobs, clock, log });
  const last = new LastDeliveries();
  const environment = await leaveLoadedFiles(options, foundation, teardown);
  const commands = teardown.use('commands', new CommandRunner({ environment, clock, log, random: Math.random }));
  const publish: FeedHub['publish'] = (...piece) => {
    feed.publish(...piece);
    runs?.broadcast.publish(...piece);
  };
  const series = new MetricSeries(clock);
  const networks = (): readonly string[] => config.program['handler-networks'];
  const delivery = teardown.use(
    'delivery',
    new Delivery({
      definitions,
      clock,
      log,
      commands,
      feed: { publish },
      clients,
      registry,
      series,
      networks,
      stopping: stopping.signal,
    }),
  );
  const schedule = openSchedule(foundation, { batcher, agents }, teardown);
  const board = new ConditionBoard();
  const activity = teardown.use('activity', new Activity({ commits: batcher.commits, clock }));

  const status = statusOf(options, batcher, name);
  const leading = teardown.use('work of the leader', new Teardown({ clock, log }));
  const startLeading = async (): Promise<void> => {
    leading.use('clock monitor', foundation.time.watch(batcher));
    // Before anything else is committed, so that pending runs of the previous process come first.
    const handlers = { definitions, lanes, jobs, deadLetters, last, registry, store, clock, log };
    const runner = { ...handlers, delivery: runs?.spread ?? delivery, commits: batcher.commits, random: Math.random };
    leading.use('handlers', await JobRunner.start(runner));
    const ownName = options.disk === undefined ? undefined : clientNameOf(name);
    startClocks(foundation, { batcher, writers, lanes, schedule: schedule.schedule, board, ownName }, leading);
    await plans.takeUp();
  };
  const standDown = (): Promise<void> => leading[Symbol.asyncDispose]();
  const onRoleChange = (): void => forwarding?.closeAgents();
  const leadership = { startLeading, standDown, onRoleChange };
  const signatures = openSignatures(foundation, () => member?.databaseNowMs ?? clock.now());
  const member =
    signatures && openMembership(foundation, { signatures, batcher, changes: changes.log, ...leadership }, teardown);
  const { audit, apiCommands } = writers;
  const runs = openRunsOfAll(foundation, { delivery, feed, apiCommands, member, signatures }, teardown);
  const standalone = new StandaloneCluster({
    id: status.id,
    hostname: name,
    database: options.database ?? { kind: 'leveldb', location: '' },
    store,
    epoch: foundation.lease?.epoch ?? 0,
    clock,
  });
  const cluster = options.cluster ?? member ?? standalone;
  const callers = new Callers(() => config.program['trusted-proxies']);
  const connections = teardown.use('connections', countConnections(foundation, callers));
  const slowPeers = teardown.use('slow peers', watchSlowPeers(foundation));
  const timers = teardown.use('timer lag', new TimerLag(clock));
  const local = LocalToken.make();
  const authenticator = new Authenticator({
    config,
    localToken: local.token,
    endpoint: status,
    registry,
    passwords: new Passwords(bcrypt),
    apiKeys: writers.apiKeys,
    sessions: writers.sessions,
    versions: writers.credentialVersions,
    certificates: tls,
    certificateRules: () => config.program['certificate-namespaces'],
    clock,
    log,
  });
  const forwarding = openForwarding(
    options,
    { member, signatures, authenticator, callers, audit, clock, log },
    teardown,
  );
  const metrics = teardown.use(
    'metrics',
    new Metrics({
      registry,
      batcher,
      cluster,
      disk,
      memory,
      results,
      agents,
      feed,
      connections,
      slowPeers,
      handlers: lanes,
      deadLetters,
      suppressed: teardown.use('suppressed notifications', new SuppressedNotifications(batcher.commits)),
      definitions,
      timers,
      board,
      entityLimit,
      forwarding,
      spreadRuns: runs?.spread,
      clock,
    }),
  );
  const { definitionChanges, namespaces, stashMigrations, storeUpgrades } = writers;
  const plans = teardown.use(
    'plans',
    new PlanRunner({
      registry,
      store,
      batcher,
      definitionChanges,
      namespaces,
      stashMigrations,
      storeUpgrades,
      plans: new Plans(batcher),
      facts: { registry, definitions, entityLimit, clock, name, store, stateDir: config.program['state-dir'] },
      clock,
      startedMs: clock.now(),
      log,
    }),
  );
  if (foundation.lease !== undefined) await startLeading();
  const kept = { commits: batcher.commits, budget: () => memory.spareBytes / 2 };
  const api: ApiDeps = {
    ...writers,
    ...schedule,
    slowPeers,
    handlers: lanes,
    deadLetters,
    registry,
    store,
    eventHeads: teardown.use('kept events', new KeptByEvent({ ...kept, bytesOf: bytesOfText })),
    memberOutputs: teardown.use('kept outputs', new KeptByEvent({ ...kept, bytesOf: bytesOfOutput })),
    clock,
    log,
    ...(options.logRequest === undefined ? {} : { logRequest: options.logRequest }),
    authenticator,
    callers,
    cluster,
    config,
    status,
    metrics,
    series,
    overview: { activity, batcher, clock, entityLimit, feed, metrics, registry },
    partialBatch: () => batcher.partial,
    versions: { registry, store, ...(options.storeBytes === undefined ? {} : { storeBytes: options.storeBytes }) },
    health: {
      registry,
      store,
      batcher,
      cluster,
      disk,
      memory,
      feed,
      handlers: lanes,
      deadLetters,
      timers,
      board,
      entityLimit,
      time: clock,
      clock,
    },
    routing,
    delivery,
    deliveries: last,
    upgrades: plans,
  };
  const parts = {
    api,
    agents,
    feed,
    connections,
    commits: batcher.commits,
    forwarding,
    member,
    peerRuns: runs?.ofPeers,
  };
  const listeners = await openListeners(options, foundation, parts, teardown);
  standalone.servesAt(listeners.url);
  const localUrl = localUrlOf(listeners.url, options.bind);
  if (options.localDirectories !== undefined && localUrl !== undefined) {
    const left = await leaveLocalAccess({ url: localUrl, token: local.text }, options.localDirectories, log);
    teardown.use('local access', left);
  }
  const watch = followConfig(options, foundation, teardown);
  if (member !== undefined) {
    teardown.use('membership', member);
    await member.join(() => selfOf(foundation, options, { url: listeners.url, host: name }), foundation.lease);
  }
  const running = teardown.move();
  return {
    ...listeners,
    get config() {
      return config.loaded;
    },
    lost: member?.ended ?? new Promise<never>(() => undefined),
    reload: async () => {
      tls.reload();
      await watch?.reload();
    },
    stop: () => {
      stopping.abort();
      return running[Symbol.asyncDispose]();
    },
  };
}

type ForwardingDeps = Omit<ForwardingParts, 'leadership' | 'signatures'>;

interface SharingParts {
  readonly member: Membership | undefined;
  readonly signatures: PeerSignatures | undefined;
}

/** Opens the connection to the other backends of the store; undefined: the store cannot be shared. */
function openForwarding(
  { openForwarding: open }: BackendOptions,
  { member, signatures, ...parts }: ForwardingDeps & SharingParts,
  teardown: Teardown,
): Forwarding | undefined {
  if (open !== undefined) return teardown.use('forwarding', open(parts));
  if (member === undefined || signatures === undefined) return undefined;
  return teardown.use('forwarding', new Forwarding({ ...parts, leadership: member, signatures }));
}

function openBatcher(
  options: BackendOptions,
  { definitions, store, lease, time, clock, log, registry, disk, memory }: Foundation,
  routing: Routing,
  teardown: Teardown,
): Batcher {
  const plans = plansOf(registry);
  const batcher = new Batcher(
    {
      registry,
      store,
      lease,
      clock,
      log,
      routing,
      diskLimit: disk,
      keepReportsOut: () => plans.keepReportsOut(),
      memory,
      anchorDue: () => time.anchorDue(),
    },
    options.batcher,
  );
  teardown.use('handling log', logHandling({ commits: batcher.commits, clock, log }));
  teardown.use(
    'stored definitions',
    batcher.commits.onIdle(() => definitions.noteStored()),
  );
  teardown.defer('change queue', () => batcher.close());
  return batcher;
}

function warnOfDefinitions({ registry, log }: Foundation, { apiCommands }: Writers): void {
  warnOfShellTokens(registry.definitions, log);
  warnOfExpressions(registry.definitions, log);
  apiCommands.warnOf(registry.definitions, log);
}

/**
 * Warns if agents of one tenant could report in the namespace of another because their certificates are not limited.
 */
function warnOfCertificates({ config, registry, tls, log }: Foundation): void {
  const namespaces = [...registry.declared.names()].length;
  if (tls.authorities.length === 0 || namespaces < 2 || config.program['certificate-namespaces'].length > 0) return;
  log.warn(
    { namespaces, setting: 'certificate-namespaces' },
    'agents with a certificate can report in every namespace: restrict them with certificate-namespaces',
  );
}

function statusOf({ bind }: BackendOptions, batcher: Batcher, name: string): BackendStatus {
  return {
    id: randomUUID(),
    hostname: name,
    address: bind,
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
}

function countConnections({ config, clock, log }: Foundation, callers: Callers): Connections {
  const filesMax = openFilesMax();
  return new Connections({
    limits: () => {
      const { 'connection-limit': all, 'connection-limit-per-address': perAddress } = config.program;
      return connectionLimits(all, perAddress, filesMax);
    },
    isShared: (address) => callers.isShared(address),
    clock,
    log,
  });
}

function watchSlowPeers({ config, clock, log }: Foundation): SlowPeers {
  return new SlowPeers({
    limits: () => {
      const { 'buffer-limit': all } = config.program;
      return { all: all * MIB, each: CONNECTION_BUFFER_MIB * MIB, stallMs: READ_STALL_MS };
    },
    clock,
    log,
  });
}

/** Watches the configuration for changes; undefined: it cannot be read again. */
function followConfig(
  options: BackendOptions,
  { config, registry, clock, log }: Foundation,
  teardown: Teardown,
): ConfigWatch | undefined {
  const { loadConfig: load } = options;
  if (load === undefined) return undefined;
  const check = (next: LoadedConfig): void => refuseOpenBind(options, next, registry);
  return teardown.use(
    'configuration',
    watchConfig({
      folders: config.loaded.folders,
      reload: () => reload({ load, config, check, clock, log }),
      clock,
      log,
    }),
  );
}

/** Converts a host name to a client name, which consists of word characters, dots and hyphens. */
function clientNameOf(host: string): string {
  return host.replaceAll(/[^\w.-]/g, '-');
}

/** @returns environment variables that tell commands where the configuration files are */
async function leaveLoadedFiles(
  { localDirectories }: BackendOptions,
  { config, log }: Foundation,
  teardown: Teardown,
): Promise<readonly string[]> {
  if (localDirectories === undefined) return [];
  // With a database the directory does not exist yet.
  await mkdir(localDirectories.stateDir, { recursive: true });
  const files = teardown.use('loaded files', new LoadedFiles(localDirectories.stateDir, log));
  await files.write(config.files);
  teardown.use(
    'changes of the configuration',
    config.definitions.onChange(() => void files.write(config.files)),
  );
  return files.environment;
}
