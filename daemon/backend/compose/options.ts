import type { MachineClock } from '../../clock/machine-clock.ts';
import type { Log, LogRequest } from '../../log/log.ts';
import type { LocalPlaces } from '../access/local-access.ts';
import type { BatcherOptions } from '../commit/batcher.ts';
import type { ClusterDatabase } from '../cluster/alone.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Forwarding, ForwardingParts } from '../cluster/forwarding/forwarding.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { RequestTimes } from '../http/http-server.ts';
import type { Disk, Store } from '../ports.ts';
import type { FixedLimits } from './fixed-limits.ts';

export interface BackendOptions {
  readonly config: LoadedConfig;
  /** What a reload had brought into force before the backend began anew; where it listens is as `config` says. Default: nothing. */
  readonly reloaded?: LoadedConfig | undefined;
  /** Reads the configuration again; without it there is no reload. */
  readonly loadConfig?: () => Promise<LoadedConfig>;
  readonly openStore: () => Promise<Store>;
  /** Where that is, for people. Default: it does not say. */
  readonly database?: ClusterDatabase;
  /** The backends that share it. Default: this one is alone. */
  readonly cluster?: Cluster;
  /** Whether other backends have it too: a start waits for its turn then, and for the store. Default: no. */
  readonly isShared?: boolean;
  /** The way to the other backends that have the store, whose listeners stay open while it writes or not. Default: none. */
  readonly openForwarding?: (parts: Omit<ForwardingParts, 'leadership' | 'signatures'>) => Forwarding;
  /** Ends a start that waits. Default: nothing does. */
  readonly stop?: AbortSignal;
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
  /** Smaller limits for a test. Default: `FIXED_LIMITS`. */
  readonly fixedLimits?: Partial<FixedLimits>;
}
