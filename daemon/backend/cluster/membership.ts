import { BusyError, errorMessage, MonError } from '../../../shared/errors.ts';
import { chooseNextLeader } from '../../../shared/domain/cluster.ts';
import type { ClusterView } from '../../../shared/schemas/cluster.ts';
import type { PeerStanding } from '../../../shared/schemas/peer-standing.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Clock, Lease } from '../ports.ts';
import type { TimeKeeper } from '../schedule/time-keeper.ts';
import { LEASE_MS, MAIN_SHARD } from '../store/main-shard.ts';
import type { SharedStore, MemberStanding, StoredMember } from '../store/shared-store.ts';
import { clusterViewOf, LOST_MS } from './cluster-view.ts';
import type { Cluster } from './cluster.ts';
import type { Follower } from './follower.ts';
import type { Leadership, PeerAddress } from './forwarding/leadership.ts';
import { Lag } from './lag.ts';
import type { PeerSignatures } from './forwarding/proof/peer-signatures.ts';
import type { PeerNews } from './peer-news.ts';

/** Interval at which a member sends its heartbeat to the database and reads who is the leader. */
const HEARTBEAT_INTERVAL_MS = 500;
/** Time without a response of the database after which a member queries the other members directly. */
const DATABASE_SILENCE_MS = 2 * HEARTBEAT_INTERVAL_MS;
/** Maximum random delay before a member tries to become the leader, so that not all members try at once. */
const JITTER_MS = 200;
/** Maximum time that a forwarded request or a handover waits until there is a leader. */
const LEADER_WAIT_MS = 5000;
const LEADER_POLL_MS = 20;
/** Time without a leader after which this member is unhealthy. A take-over or a handover is faster. */
const NO_LEADER_MS = 3000;
/** Time to wait in a handover, so that requests that this member has accepted reach the commit queue. */
const HANDOVER_DRAIN_MS = 20;
/** Time for which only the chosen next leader can acquire a lease that was released for a handover. */
const LEASE_OFFER_MS = 1500;
/** Maximum difference between the clocks of this host and the database; above it a warning is logged. */
const CLOCK_DIFFERENCE_MS_MAX = 10_000;

/** The identity that this member announces to the other members. */
export interface MemberIdentity {
  readonly name: string;
  readonly url: string;
  readonly fingerprint: string | undefined;
  readonly version: string;
}

interface MembershipDependencies {
  readonly store: SharedStore;
  readonly peers: Pick<PeerNews, 'newest'>;
  /** Signs the announcement of this member, and verifies the announcements of other members. */
  readonly signatures: Pick<PeerSignatures, 'problemOf' | 'rowProofOf'>;
  readonly batcher: Batcher;
  readonly time: TimeKeeper;
  /** Replicates the writes of the leader; undefined if this member has been the leader since its start. */
  readonly follower: Follower | undefined;
  /** Starts the tasks of the leader. @param seq the sequence number of the last write that is in memory */
  readonly lead: (lease: Lease, seq: number) => Promise<void>;
  /** Stops the tasks of the leader, before a handover. */
  readonly stopLeading: () => Promise<void>;
  /** Called when this member becomes the leader or begins a handover; closes connections, so that agents reconnect. */
  readonly onRoleChange: () => void;
  /** The lag in seconds above which this member rejects reads. */
  readonly lagSecondsMax: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
}

/**
 * The membership of this backend in a cluster that shares a store. If another member is the leader, this member is a
 * follower. It becomes the leader if there is none, and hands over the leadership before it stops.
 */
export class Membership implements Cluster, Leadership, AsyncDisposable {
  readonly #dependencies: MembershipDependencies;
  /** Resolves when this member is no longer the leader and must restart as a follower; the value is the reason. */
  readonly ended: Promise<MonError>;
  readonly #end: (reason: MonError) => void;
  /**
   * Returns the identity of this member; called for each heartbeat, because a renewed certificate changes the identity.
   */
  #self: (() => MemberIdentity) | undefined;
  #lease: Lease | undefined;
  #memberStanding: MemberStanding | undefined;
  /** Reasons why this member does not trust other members, by the id of the other member. */
  #problems: ReadonlyMap<string, string> = new Map();
  /** Clock of the database minus the monotonic clock, in milliseconds; undefined before the first heartbeat. */
  #databaseAheadMs: number | undefined;
  /** Time of the last successful heartbeat, on the monotonic clock. */
  #lastHeartbeatMs: number;
  /** Time when this member last was or knew the leader, on the monotonic clock. */
  #leaderSeenMs: number;
  /** The reason why the last heartbeat failed; undefined if it succeeded. */
  #problem: string | undefined;
  readonly #heartbeatTimers: Disposable[] = [];
  #isHeartbeatRunning = false;
  #isQueryingPeers = false;
  #isResigning = false;
  /** True if this member lost its lease while it was the leader. Its memory can then differ from the database. */
  #isLost = false;
  #isEnded = false;
  readonly #lag = new Lag();
  #hasLoggedClockDifference = false;

  constructor(dependencies: MembershipDependencies) {
    this.#dependencies = dependencies;
    this.#lastHeartbeatMs = this.#leaderSeenMs = dependencies.clock.monotonic();
    const { promise, resolve } = Promise.withResolvers<MonError>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** True if this member is the leader, and has not begun to hand over the leadership. */
  get isLeader(): boolean {
    return this.#dependencies.batcher.isLeading && !this.#isResigning;
  }

  get hasSuccessor(): boolean {
    return this.#isResigning && this.#writer() !== undefined;
  }

  /**
   * Time when the current leader acquired the lease, in epoch milliseconds by the clock of this host; 0 if it is not
   * known yet.
   */
  get leaderSinceMs(): number {
    const { lease, nowMs = 0 } = this.#memberStanding ?? {};
    const { clock } = this.#dependencies;
    if (lease === undefined) return 0;
    // The age of the lease comes from the database alone, because its clock can differ from the clock of this host.
    return clock.now() - (clock.monotonic() - this.#lastHeartbeatMs) - (nowMs - lease.sinceMs);
  }

  get acceptsWrites(): boolean {
    if (this.isLeader) return this.#dependencies.store.refusal === undefined;
    return this.#dependencies.clock.monotonic() - this.#leaderSeenMs < NO_LEADER_MS;
  }

  /** Current time by the clock of the database, which all members share; estimated, in epoch milliseconds. */
  get databaseNowMs(): number {
    const { clock } = this.#dependencies;
    return this.#databaseAheadMs === undefined ? clock.now() : Math.round(clock.monotonic() + this.#databaseAheadMs);
  }

  /** Sequence number of the newest write in the memory of this member. */
  get seq(): number {
    const { follower, store } = this.#dependencies;
    return Math.max(follower?.seq ?? 0, this.#dependencies.batcher.isLeading ? store.lastSeq(MAIN_SHARD) : 0);
  }

  /**
   * Throws if the memory of this member can be stale, so that a read is rejected.
   *
   * @throws MonError `unavailable` if this member is too far behind the leader, or does not know whether it is still
   *   the leader itself
   */
  refuseStale(): void {
    if (this.#mayHaveBeenReplaced()) {
      throw new BusyError(
        'this member does not know whether it is still the leader: use another member, or retry in a second',
      );
    }
    if (!this.#isTooFarBehind()) return;
    throw new BusyError('this follower lags behind the leader: use another member, or retry in a few seconds');
  }

  /**
   * Announces this member to the other members, now and regularly.
   *
   * @param self callback that returns the identity of this member
   * @param lease the write lease, if this member is the leader; otherwise undefined
   */
  async join(self: () => MemberIdentity, lease: Lease | undefined): Promise<void> {
    this.#self = self;
    if (lease !== undefined) this.#watch(lease);
    await this.#sendHeartbeat();
    this.#heartbeatTimers.push(
      this.#dependencies.clock.every(HEARTBEAT_INTERVAL_MS, () => {
        if (this.isLeader || this.#writer() !== undefined) this.#leaderSeenMs = this.#dependencies.clock.monotonic();
        void this.#sendHeartbeat();
        void this.#queryPeers();
      }),
      this.#dependencies.store.onReleased(() => void this.#sendHeartbeat()),
    );
  }

  /**
   * Returns the leader. Waits up to 5 seconds if there is no leader.
   *
   * @throws MonError `unavailable` if there is no leader in time, or the leader cannot prove its membership
   */
  async awaitLeader(signal?: AbortSignal): Promise<'self' | PeerAddress> {
    const { clock } = this.#dependencies;
    const untilMs = clock.monotonic() + LEADER_WAIT_MS;
    for (;;) {
      signal?.throwIfAborted();
      if (this.isLeader) return 'self';
      const writer = this.#writer();
      if (writer !== undefined) {
        this.#refuseUnproved(writer);
        return writer;
      }
      if (clock.monotonic() >= untilMs) throw new BusyError(this.#noLeaderReason());
      await this.#pause(LEADER_POLL_MS);
    }
  }

  /**
   * Implements `Leadership.waitForWrite`: resolves at once on the leader, and otherwise as `Follower.caughtUp` does.
   */
  async waitForWrite(seq: number): Promise<void> {
    if (!this.isLeader) await this.#dependencies.follower?.caughtUp(seq);
  }

  /** Returns the replication state of this member; a member that cannot reach the database requests it. */
  standing(): PeerStanding {
    return { seq: this.seq, hears_database: !this.#isUnheard() };
  }

  /** Returns the other members that were seen recently and have proved their membership. */
  provenMembers(): readonly StoredMember[] {
    return this.#recentlySeenMembers().filter(({ id }) => !this.#problems.has(id));
  }

  /** Returns the other members that were seen recently, even if they have not proved their membership. */
  #recentlySeenMembers(): readonly StoredMember[] {
    const { members = [], nowMs = 0 } = this.#memberStanding ?? {};
    return members.filter(({ id, seenMs }) => id !== this.#dependencies.store.self && nowMs - seenMs < LOST_MS);
  }

  view(): ClusterView {
    const { store, batcher } = this.#dependencies;
    const { seq } = this;
    const written = batcher.isLeading ? 0 : (this.#memberStanding?.lease?.seq ?? 0);
    return clusterViewOf(
      this.#memberStanding,
      {
        id: store.self,
        seq,
        newest: Math.max(seq, written, this.#lag.seq),
        isTooFarBehind: this.#isTooFarBehind(),
        problems: this.#problems,
      },
      { location: store.shown, problem: store.refusal?.message ?? this.#problem ?? null },
    );
  }

  async handOver(to: string | undefined): Promise<ClusterView> {
    const { log } = this.#dependencies;
    if (!this.isLeader) throw new BusyError('this backend is not the leader, so it cannot hand over the leadership');
    const succession = chooseNextLeader(this.view(), to);
    if (succession.kind === 'refused') throw new MonError(succession.code, succession.reason);
    log.info({ to: succession.member.name }, 'handing over leadership');
    await this.#resign(succession.member.id);
    const next = await this.#awaitOtherLeader();
    this.#end(new MonError('conflict', `handed over to ${next?.name ?? 'no member'}`));
    if (next === undefined) {
      throw new MonError('unavailable', 'no other member took over in time: this member stays the leader if it can');
    }
    log.info({ to: next.name }, 'leadership handed over');
    return this.view();
  }

  async remove(id: string): Promise<ClusterView> {
    await this.#dependencies.store.removeMember(id);
    if (this.#memberStanding !== undefined) {
      this.#memberStanding = {
        ...this.#memberStanding,
        members: this.#memberStanding.members.filter((member) => member.id !== id),
      };
    }
    return this.view();
  }

  /** Leaves the cluster. If this member is the leader and there is another member, it first hands over. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { store, log } = this.#dependencies;
    await this.#sendHeartbeat();
    if (this.#lease !== undefined && this.#recentlySeenMembers().length > 0) {
      await this.#resign(undefined);
      const next = await this.#awaitOtherLeader();
      log.info({ to: next?.name ?? null }, next === undefined ? 'no member took over' : 'leadership handed over');
    }
    this.#isEnded = true;
    for (const part of this.#heartbeatTimers) part[Symbol.dispose]();
    await store.leave();
  }

  /** Commits all queued writes, releases the lease and leaves the list of members. Later writes wait for a leader. */
  async #resign(to: string | undefined): Promise<void> {
    const { batcher, time, stopLeading: standDown, onRoleChange, store } = this.#dependencies;
    const lease = this.#lease;
    if (lease === undefined) return;
    await standDown();
    this.#isResigning = true;
    onRoleChange();
    // Requests that were accepted before can still be on their way to the commit queue.
    await this.#pause(HANDOVER_DRAIN_MS);
    await batcher.resign();
    await time.close();
    this.#lease = undefined;
    await store.offer(lease, to);
    await store.leave();
  }

  async #awaitOtherLeader(): Promise<StoredMember | undefined> {
    const { clock } = this.#dependencies;
    const untilMs = clock.monotonic() + LEADER_WAIT_MS;
    while (clock.monotonic() < untilMs) {
      await this.#sendHeartbeat();
      const writer = this.#writer();
      if (writer !== undefined || this.#recentlySeenMembers().length === 0) return writer;
      await this.#pause(LEADER_POLL_MS);
    }
    return undefined;
  }

  #writer(): StoredMember | undefined {
    const { lease, members = [], nowMs = 0 } = this.#memberStanding ?? {};
    const { self } = this.#dependencies.store;
    if (lease?.holder === undefined || lease.holder === self) return undefined;
    const sinceHeardMs = this.#dependencies.clock.monotonic() - this.#lastHeartbeatMs;
    if (lease.goodUntilMs <= nowMs + sinceHeardMs) return undefined;
    return members.find(({ id }) => id === lease.holder);
  }

  #noLeaderReason(): string {
    return this.#problem === undefined
      ? 'there is no leader at the moment: retry in a few seconds'
      : `the leader cannot be read from the database (${this.#problem}), retry in a few seconds`;
  }

  async #sendHeartbeat(): Promise<void> {
    if (this.#isHeartbeatRunning || this.#isEnded || this.#self === undefined) return;
    this.#isHeartbeatRunning = true;
    const { clock, log } = this.#dependencies;
    try {
      // The time before the request counts, because this process can be suspended before it reads the response.
      const requestMs = clock.monotonic();
      await this.#exchangeState(this.#self);
      this.#lastHeartbeatMs = requestMs;
      if (this.#problem !== undefined) log.info({}, 'database is reachable again');
      this.#problem = undefined;
      this.#checkClockDifference();
      if (!this.isLeader)
        this.#lag.recordMeasurement(this.seq, this.#memberStanding?.lease?.seq ?? 0, this.#lastHeartbeatMs);
      if (await this.#takeOver()) await this.#exchangeState(this.#self);
    } catch (error) {
      const reason = errorMessage(error);
      if (this.#problem === undefined) log.warn({ reason }, 'database is unreachable');
      this.#problem = reason;
    } finally {
      this.#isHeartbeatRunning = false;
    }
  }

  /** Sends a heartbeat and reads the state of the cluster. During and after a handover it only reads the state. */
  async #exchangeState(self: () => MemberIdentity): Promise<void> {
    const { seq } = this;
    const { store, clock } = this.#dependencies;
    const requestMs = clock.monotonic();
    const standing = await store.meet(
      MAIN_SHARD,
      this.#isResigning ? undefined : { ...this.#announcementOf(self()), seq },
    );
    this.#memberStanding = standing;
    this.#databaseAheadMs = standing.nowMs - requestMs;
    this.#logNewProblems(standing.members);
    if (standing.lease !== undefined && standing.lease.seq < seq) await this.#reloadAfterLoss(seq, standing.lease.seq);
  }

  #announcementOf(self: MemberIdentity): MemberIdentity & Pick<StoredMember, 'proof'> {
    const { store, signatures } = this.#dependencies;
    return { ...self, proof: signatures.rowProofOf({ id: store.self, url: self.url, fingerprint: self.fingerprint }) };
  }

  #logNewProblems(members: readonly StoredMember[]): void {
    const { store, signatures, log } = this.#dependencies;
    const problems = new Map<string, string>();
    for (const member of members) {
      const problem = member.id === store.self ? undefined : signatures.problemOf(member);
      if (problem === undefined) continue;
      problems.set(member.id, problem);
      if (this.#problems.get(member.id) === problem) continue;
      const { id, name, url } = member;
      log.warn(
        { member: id, name, url, problem },
        'another cluster member cannot prove its identity: communication is blocked',
      );
    }
    this.#problems = problems;
  }

  /** Rejects a leader that is not trusted. @throws MonError `unavailable` */
  #refuseUnproved({ id, name }: StoredMember): void {
    const problem = this.#problems.get(id);
    if (problem === undefined) return;
    throw new MonError('unavailable', `the leader ${name} ${problem}; this member does not forward requests to it`);
  }

  /**
   * Reloads the memory of this follower after the database lost writes. That happens if an outdated standby was
   * promoted, or an old copy was restored. If this member is the leader, its store detects the loss instead.
   */
  async #reloadAfterLoss(from: number, to: number): Promise<void> {
    const { batcher, follower, log } = this.#dependencies;
    if (batcher.isLeading || follower === undefined) return;
    log.error({ from, to }, 'the database lost acknowledged writes: continuing with the remaining data');
    await follower.reload();
  }

  #checkClockDifference(): void {
    const { clock, log } = this.#dependencies;
    const aheadMs = clock.now() - (this.#memberStanding?.nowMs ?? clock.now());
    const isOff = Math.abs(aheadMs) > CLOCK_DIFFERENCE_MS_MAX;
    if (isOff && !this.#hasLoggedClockDifference) {
      log.warn(
        { seconds_ahead: Math.round(aheadMs / 1000) },
        'the clocks of this host and the database differ: synchronize both with NTP, or times jump after a failover',
      );
    }
    this.#hasLoggedClockDifference = isOff;
  }

  /**
   * True if this member was the leader and another member can be the leader now. Either the lease was lost, or it has
   * perhaps expired while this process was suspended. Memory can then contain changes that will never be committed.
   */
  #mayHaveBeenReplaced(): boolean {
    const { batcher, store, clock } = this.#dependencies;
    if (this.#isLost) return true;
    if (!batcher.isLeading || this.#lease === undefined || this.#problem !== undefined) return false;
    const isLeasedElsewhere =
      this.#memberStanding?.lease?.holder !== undefined && this.#memberStanding.lease.holder !== store.self;
    return isLeasedElsewhere || clock.monotonic() - this.#lastHeartbeatMs > LEASE_MS;
  }

  #isTooFarBehind(): boolean {
    const { clock, lagSecondsMax } = this.#dependencies;
    return this.#lag.delayMs(this.seq, clock.monotonic()) > lagSecondsMax * 1000;
  }

  #isUnheard(): boolean {
    return this.#dependencies.clock.monotonic() - this.#lastHeartbeatMs > DATABASE_SILENCE_MS;
  }

  /**
   * Measures the lag of this member if it cannot reach the database. Other members that still reach the database report
   * the newest write.
   */
  async #queryPeers(): Promise<void> {
    if (this.#isQueryingPeers || this.#isEnded || !this.#isUnheard()) return;
    this.#isQueryingPeers = true;
    const newest = await this.#dependencies.peers.newest(this.provenMembers());
    this.#isQueryingPeers = false;
    // If no member reaches the database, no member can have newer data, so this member is regarded as up to date.
    if (this.#isUnheard())
      this.#lag.recordMeasurement(this.seq, newest ?? this.seq, this.#dependencies.clock.monotonic());
  }

  /**
   * Tries to become the leader if there is none.
   *
   * @returns true if this member acquired the lease, even if starting its tasks as the leader failed; false otherwise
   */
  async #takeOver(): Promise<boolean> {
    const { lease, nowMs = 0 } = this.#memberStanding ?? {};
    const { store, batcher, random, follower } = this.#dependencies;
    if (batcher.isLeading || this.#isResigning || this.#isEnded || follower === undefined) return false;
    const isFree = lease?.holder === undefined || lease.goodUntilMs <= nowMs;
    if (!isFree) return false;
    const isOfferedElsewhere = lease?.offeredTo !== undefined && lease.offeredTo !== store.self;
    if (isOfferedElsewhere && nowMs - lease.goodUntilMs < LEASE_OFFER_MS) return false;
    if (lease?.holder !== undefined) await this.#pause(random() * JITTER_MS);
    const startMs = this.#dependencies.clock.monotonic();
    const taken = await store.acquire(MAIN_SHARD, LEASE_MS).catch((error: unknown) => {
      // A conflict means that another member acquired the lease first.
      if (error instanceof MonError && error.code === 'conflict') return undefined;
      throw error;
    });
    if (taken === undefined) return false;
    await this.#begin(taken, follower, startMs);
    return true;
  }

  async #begin(lease: Lease, follower: Follower, startMs: number): Promise<void> {
    const { lead, onRoleChange, log, clock } = this.#dependencies;
    try {
      await follower.catchUp();
      await follower[Symbol.asyncDispose]();
      await lead(lease, follower.seq);
    } catch (error) {
      await lease.release().catch(() => undefined);
      this.#end(new MonError('unavailable', `taking over failed: ${errorMessage(error)}`, { cause: error }));
      return;
    }
    this.#watch(lease);
    onRoleChange();
    log.info(
      { epoch: lease.epoch, seq: this.seq, duration_ms: Math.round(clock.monotonic() - startMs) },
      'this member is the leader now',
    );
  }

  #watch(lease: Lease): void {
    this.#lease = lease;
    void this.#endWith(lease);
  }

  async #endWith(lease: Lease): Promise<void> {
    const reason = await lease.lost;
    this.#lease = undefined;
    this.#isLost = true;
    this.#isResigning = true;
    this.#end(reason);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#dependencies.clock.after(ms, resolve));
  }
}
