import type { MachineClock } from '../../clock/machine-clock.ts';
import type { Log, LogRequest } from '../../log/log.ts';
import type { LocalDirectories } from '../access/local-access.ts';
import type { BatcherOptions } from '../commit/batcher.ts';
import type { ClusterDatabase } from '../cluster/standalone-cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Forwarding, ForwardingParts } from '../cluster/forwarding/forwarding.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { RequestTimes } from '../http/http-server.ts';
import type { Disk, Store } from '../ports.ts';
import type { FixedLimits } from './fixed-limits.ts';

export interface BackendOptions {
  readonly config: LoadedConfig;
  /**
   * The configuration that a reload had put into force before a restart; listeners stay as in `config`. Default: none.
   */
  readonly reloaded?: LoadedConfig | undefined;
  /** Reads the configuration again; without it there is no reload. */
  readonly loadConfig?: () => Promise<LoadedConfig>;
  readonly openStore: () => Promise<Store>;
  /** Location of the store, for operators. Default: unknown. */
  readonly database?: ClusterDatabase;
  /** The backends that share the store. Default: only this one. */
  readonly cluster?: Cluster;
  /** True if other backends share the store: then a start waits for its turn, and for the store. Default: false. */
  readonly isShared?: boolean;
  /**
   * Opens the forwarding to the other backends; with it the listeners stay open whether or not this backend is the
   * leader. Default: none.
   */
  readonly openForwarding?: (parts: Omit<ForwardingParts, 'leadership' | 'signatures'>) => Forwarding;
  /** Cancels a start that waits. Default: none. */
  readonly stop?: AbortSignal;
  /** Returns the bytes of the files of the store; absent if it has none. */
  readonly storeBytes?: () => Promise<number>;
  /** The disk of the store; absent: it is not monitored, and nothing is rejected for lack of space. */
  readonly disk?: Disk;
  /** The clock of the machine, which may be set. */
  readonly clock: MachineClock;
  readonly log: Log;
  /** Called for each response of the API. */
  readonly logRequest?: LogRequest;
  /** Address and port of the listener; port 0 selects a free one. */
  readonly bind: string;
  readonly port: number;
  /** True if a remotely reachable address is allowed without credentials. */
  readonly isInsecureAllowed?: boolean;
  /** Directories in which the programs on this machine find their token; absent: none. */
  readonly localDirectories?: LocalDirectories;
  readonly batcher?: BatcherOptions;
  readonly requestTimes?: RequestTimes;
  /** Smaller limits for a test. Default: `FIXED_LIMITS`. */
  readonly fixedLimits?: Partial<FixedLimits>;
}
