import { MonError } from '../../../shared/errors.ts';
import { hasAdministrator } from '../access/scopes-of-user.ts';
import { ConfigInForce } from '../config/config-in-force.ts';
import { readPeerKeyFile, type PeerKeyFile } from '../cluster/forwarding/proof/peer-keys.ts';
import type { Log } from '../../log/log.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { StoredDefinitions } from '../model/definitions/state.ts';
import { MemoryBudget, startupMemoryGuard } from '../health/memory-budget.ts';
import { isLoopback } from '../access/host.ts';
import type { Lease, Store } from '../ports.ts';
import { overridesOf } from '../model/on-call/state.ts';
import { Registry } from '../model/registry/registry.ts';
import type { StoredTable } from '../model/tables/stored-table.ts';
import { TimeKeeper } from '../schedule/time-keeper.ts';
import { MAIN_SHARD } from '../store/main-shard.ts';
import { isShared } from '../store/shared-store.ts';
import { DiskGuard } from '../store/disk-guard.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import { listenersOf, refuseOpenHttp } from '../tls/listeners.ts';
import { ListenersTls } from '../tls/server-tls.ts';
import { acquireStore } from './acquire-store.ts';
import { FIXED_LIMITS, type FixedLimits } from './fixed-limits.ts';
import type { BackendOptions } from './options.ts';

/** The components on which all other components of the backend depend. */
export interface Foundation {
  readonly config: ConfigInForce;
  readonly fixedLimits: FixedLimits;
  readonly definitions: Definitions;
  readonly tls: ListenersTls;
  /** The keys with which cluster members authenticate each other; undefined if `peer-key-file` is not set. */
  readonly peerKey: PeerKeyFile | undefined;
  readonly disk: DiskGuard;
  readonly store: Store;
  /** The lease of the store; undefined if another member of the cluster is the leader. */
  readonly lease: Lease | undefined;
  readonly time: TimeKeeper;
  /** The clock of `time`; it does not follow changes of the system clock of this host at once. */
  readonly clock: TimeKeeper['clock'];
  readonly log: Log;
  readonly registry: Registry;
  readonly memory: MemoryBudget;
}

/**
 * Opens the configuration, the store, the clock and the state in memory.
 *
 * @param tables the tables of all kinds of stored objects
 * @throws MonError `invalid` or `conflict` if the backend cannot start with this configuration or store
 */
export async function openFoundation(
  options: BackendOptions,
  tables: readonly StoredTable[],
  teardown: Teardown<PartName>,
): Promise<Foundation> {
  const { clock: machine, log } = options;
  const fixedLimits = { ...FIXED_LIMITS, ...options.fixedLimits };
  const listeners = listenersOf(options.bind, options.config);
  const tls = teardown.use('certificates', new ListenersTls(listeners, { clock: machine, log }));
  const keyFile = options.config.program['peer-key-file'];
  const peerKey = keyFile === undefined ? undefined : readPeerKeyFile(keyFile);
  if (peerKey?.warning !== undefined) log.warn({}, peerKey.warning);
  const stored = new StoredDefinitions();
  const config = new ConfigInForce(options.reloaded ?? options.config, Math.floor(machine.now() / 1000), stored);
  const disk = new DiskGuard({
    disk: options.disk,
    floorBytes: () => config.program['disk-floor'],
    clock: machine,
    log,
  });
  // The disk is checked before the store is opened, because opening the store on a full disk needs the reserved space.
  await disk.checkFreeSpace();
  const { store, lease } = await acquireStore(options, teardown);
  const time = await TimeKeeper.open({ store, tables, systemClock: machine, log });
  if (lease !== undefined) await time.lead(lease);
  teardown.defer('time', () => time.close());
  const { clock } = time;
  const { definitions } = config;
  const auditLimits = {
    get auditLimit() {
      return config.program['audit-limit'];
    },
  };
  const timelineLimits = {
    get days() {
      return config.program.timeline.days;
    },
    perCheck: fixedLimits.transitionsPerCheck,
  };
  const seriesLimits = {
    get enabled() {
      return config.program.series.enabled;
    },
    get checks() {
      return config.program.series.checks;
    },
  };
  const registry = new Registry(tables, {
    auditLimits,
    timelineLimits,
    seriesLimits,
    naming: () => config.program.alerts,
    definitions: stored,
    onCorrections: (corrections) => clock.applyCorrections(corrections),
    refuseBeyond: startupMemoryGuard(),
  });
  definitions.onCall.useInputs({
    overridesOf: (schedule) => overridesOf(registry).spansOf(schedule),
    now: () => clock.now(),
  });
  const memory = new MemoryBudget({
    used: () => registry.bytes,
    setting: () => config.program['memory-limit'],
    clock,
    log,
  });
  await loadRegistry(registry, store, lease);
  refuseOpenBind(options, config, registry);
  for (const { bind, name: listener } of refuseOpenHttp(listeners, options.config.program['insecure-http'])) {
    log.warn(
      { bind, listener },
      'listener without TLS is reachable from other hosts, so passwords and keys can be intercepted: set up TLS',
    );
  }
  return { config, fixedLimits, definitions, tls, peerKey, disk, store, lease, time, clock, log, registry, memory };
}

/**
 * Loads the registry. A follower loads it from a snapshot, so that it does not see a part of a concurrent write of the
 * leader.
 */
async function loadRegistry(registry: Registry, store: Store, lease: Lease | undefined): Promise<void> {
  if (lease !== undefined || !isShared(store)) {
    await registry.load(store);
    return;
  }
  await using snapshot = await store.snapshot(MAIN_SHARD);
  await registry.load(snapshot);
}

/**
 * @throws MonError `invalid` if other hosts can reach a listener, the API needs no credentials, and `--insecure` is not
 * set
 */
export function refuseOpenBind(
  { bind, config, isInsecureAllowed }: BackendOptions,
  { api }: Pick<LoadedConfig, 'api'>,
  { credentials }: Registry,
): void {
  const { 'agent-listener': agentListener, 'v2-listener': v2Listener } = config.program;
  const open = [bind, agentListener?.bind, v2Listener?.bind].find((own) => own !== undefined && !isLoopback(own));
  if (open === undefined || api.user !== undefined || isInsecureAllowed === true) return;
  if (hasAdministrator(credentials.users, credentials.roles.index)) return;
  throw new MonError(
    'invalid',
    `${open} can be reached by other hosts: create an administrator with mon-backend init, set api.user and api.password, or allow it with --insecure`,
  );
}
