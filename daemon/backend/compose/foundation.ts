import { MonError } from '../../../shared/errors.ts';
import { hasAdministrator } from '../access/scopes-of-user.ts';
import { ConfigInForce } from '../config/config-in-force.ts';
import { readPeerKeyFile, type PeerKeyFile } from '../cluster/forwarding/proof/peer-keys.ts';
import type { Log } from '../../log/log.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { StoredDefinitions } from '../model/definitions/state.ts';
import { MemoryBudget, startGuard } from '../health/memory-budget.ts';
import { isLoopback } from '../access/host.ts';
import type { Lease, Store } from '../ports.ts';
import { Registry } from '../model/registry/registry.ts';
import type { StoredTable } from '../model/tables/stored-table.ts';
import { TimeKeeper } from '../schedule/time-keeper.ts';
import { SHARD } from '../store/main-shard.ts';
import { isShared } from '../store/shared-store.ts';
import { DiskGuard } from '../store/disk-guard.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import { listenersOf, refuseOpenHttp } from '../tls/listeners.ts';
import { ListenersTls } from '../tls/server-tls.ts';
import { acquireStore } from './acquire-store.ts';
import { FIXED_LIMITS, type FixedLimits } from './fixed-limits.ts';
import type { BackendOptions } from './options.ts';

/** The foundation of all other parts. */
export interface Foundation {
  readonly config: ConfigInForce;
  readonly fixedLimits: FixedLimits;
  readonly definitions: Definitions;
  readonly tls: ListenersTls;
  /** The key by which backends with the same store recognize each other; undefined: the setting names no file. */
  readonly peerKey: PeerKeyFile | undefined;
  readonly disk: DiskGuard;
  readonly store: Store;
  /** Undefined: another backend is the leader of the shared store. */
  readonly lease: Lease | undefined;
  readonly time: TimeKeeper;
  /** The clock of `time`, which does not follow changes of the machine's clock at once. */
  readonly clock: TimeKeeper['clock'];
  readonly log: Log;
  readonly registry: Registry;
  readonly memory: MemoryBudget;
}

/**
 * Opens settings, store, time and the state in memory.
 *
 * @param tables all kinds of stored objects
 * @throws MonError `invalid` or `conflict` if the backend cannot start this way
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
  // First, because opening a store on a full disk needs the reserve.
  await disk.look();
  const { store, lease } = await acquireStore(options, teardown);
  const time = await TimeKeeper.open({ store, tables, machine, log });
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
  const registry = new Registry(tables, {
    auditLimits,
    timelineLimits,
    naming: () => config.program.alerts,
    definitions: stored,
    onCorrections: (corrections) => clock.adopt(corrections),
    refuseBeyond: startGuard(),
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

/** Loads the registry from a snapshot, so that concurrent writes of another backend are not seen in part. */
async function loadRegistry(registry: Registry, store: Store, lease: Lease | undefined): Promise<void> {
  if (lease !== undefined || !isShared(store)) {
    await registry.load(store);
    return;
  }
  await using snapshot = await store.snapshot(SHARD);
  await registry.load(snapshot);
}

/** @throws MonError `invalid` if every caller who can reach the address could use the API */
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
