import { chooseNextLeader } from '../../../shared/domain/cluster.ts';
import { MonError } from '../../../shared/errors.ts';
import type { ClusterView } from '../../../shared/schemas/cluster.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import type { Clock, Store } from '../ports.ts';
import { MAIN_SHARD } from '../store/main-shard.ts';
import type { Cluster } from './cluster.ts';
import { memberName } from './member-name.ts';

/** Kind and location of the store, as shown to operators. */
export type ClusterDatabase = Pick<ClusterView['database'], 'kind' | 'location'>;

interface StandaloneDependencies {
  /** The id of this process of the backend; a restart creates a new id. */
  readonly id: string;
  readonly hostname: string;
  readonly database: ClusterDatabase;
  readonly store: Pick<Store, 'lastSeq' | 'refusal'>;
  /** Epoch of the lease of the store. */
  readonly epoch: number;
  readonly clock: Clock;
}

/** The cluster of a backend that does not share its store: the backend is the only member and the leader. */
export class StandaloneCluster implements Cluster {
  readonly #dependencies: StandaloneDependencies;
  readonly #since: number;
  #url = new URL('http://localhost');

  constructor(dependencies: StandaloneDependencies) {
    this.#dependencies = dependencies;
    this.#since = this.#nowSeconds();
  }

  /** Sets the URL that the view shows for this member. @param url the URL at which the backend listens */
  servesAt(url: string): void {
    this.#url = new URL(url);
  }

  /** Always true: the batcher of a backend with a store of its own reports a store that accepts no writes. */
  readonly acceptsWrites = true;

  view(): ClusterView {
    const { id, hostname, database, store, epoch } = this.#dependencies;
    const seq = store.lastSeq(MAIN_SHARD);
    const problem = store.refusal?.message ?? null;
    const { origin } = this.#url;
    return {
      member_id: id,
      leader: { id, since: this.#since, epoch },
      seq,
      database: { ...database, state: problem === null ? 'ok' : 'unavailable', problem },
      members: [
        {
          id,
          name: memberName(hostname, this.#url.href),
          url: origin,
          version: VERSION,
          since: this.#since,
          last_seen: this.#nowSeconds(),
          role: 'leader',
          state: 'ok',
          seq,
          lag: 0,
        },
      ],
    };
  }

  handOver(to: string | undefined): Promise<ClusterView> {
    const succession = chooseNextLeader(this.view(), to);
    return succession.kind === 'to'
      ? Promise.resolve(this.view())
      : Promise.reject(new MonError(succession.code, succession.reason));
  }

  /** Removes nothing: the backend is the only member. */
  remove(): Promise<ClusterView> {
    return Promise.resolve(this.view());
  }

  #nowSeconds(): number {
    return Math.floor(this.#dependencies.clock.now() / 1000);
  }
}
