import type { MachineClock } from '../../clock/machine-clock.ts';
import type { Log, LogRequest } from '../../log/log.ts';
import type { LocalDirectories } from '../access/local-access.ts';
import type { BatcherOptions } from '../commit/batcher.ts';
import type { ClusterDatabase } from '../cluster/standalone-cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Forwarding, ForwardingDependencies } from '../cluster/forwarding/forwarding.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { RequestTimes } from '../http/http-server.ts';
import type { Disk, Store } from '../ports.ts';
import type { FixedLimits } from './fixed-limits.ts';

export interface BackendOptions {
  readonly config: LoadedConfig;
  /**
   * The configuration of the last reload, if all components of the backend are created again in the same process. The
   * listeners still use `config`. Default: none.
   */
  readonly reloaded?: LoadedConfig | undefined;
  /** Loads the configuration again for a reload; undefined if the configuration cannot be reloaded. */
  readonly loadConfig?: () => Promise<LoadedConfig>;
  readonly openStore: () => Promise<Store>;
  /** Kind and location of the store, as shown to operators. Default: LevelDB at an unknown location. */
  readonly database?: ClusterDatabase;
  /** Replaces the cluster that the store provides. Default: the members of a shared store, or this backend alone. */
  readonly cluster?: Cluster;
  /** True if other backends may share the store: then a start waits while the store is unavailable. Default: false. */
  readonly isShared?: boolean;
  /** Creates the forwarding of requests to the leader. Default: requests are forwarded if the store is shared. */
  readonly openForwarding?: (parts: Omit<ForwardingDependencies, 'leadership' | 'signatures'>) => Forwarding;
  /** Signal that cancels a start while it waits for the store. Default: none. */
  readonly stop?: AbortSignal;
  /** Returns the total size of the files of the store, in bytes; absent if the store has no files. */
  readonly storeBytes?: () => Promise<number>;
  /**
   * The disk of the store; absent if its free space is not monitored, so that nothing is rejected for lack of space.
   */
  readonly disk?: Disk;
  /** The system clock of this host, which can jump when somebody sets it. */
  readonly clock: MachineClock;
  readonly log: Log;
  /** Logs a request; called for each response of the API. */
  readonly logRequest?: LogRequest;
  /** Address and port of the API listener; port 0 selects a free port. */
  readonly bind: string;
  readonly port: number;
  /** True if the API may be reachable by other hosts although it needs no credentials. */
  readonly isInsecureAllowed?: boolean;
  /** Directories in which programs on this host find a token for the API; absent if no token is written. */
  readonly localDirectories?: LocalDirectories;
  readonly batcher?: BatcherOptions;
  readonly requestTimes?: RequestTimes;
  /** Smaller limits for a test. Default: `FIXED_LIMITS`. */
  readonly fixedLimits?: Partial<FixedLimits>;
}
