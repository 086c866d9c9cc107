import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../scripts/lib/free-port.ts';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { listsOf, type Lists } from './writer.ts';

/** Function that returns the environment variables of the member with this index. */
type EnvironmentOf = (at: number) => Readonly<Record<string, string>>;

const RECORDS_SHOWN = 10;
const LISTS_TRIES = 20;

/**
 * Backends with a common database, each in its own process. A member that has ended can be restarted at the same
 * address.
 */
export class Members implements AsyncDisposable {
  readonly #environmentOf: EnvironmentOf;
  readonly #all: DaemonProcess[] = [];
  readonly #stateDirs: string[] = [];

  private constructor(environmentOf: EnvironmentOf) {
    this.#environmentOf = environmentOf;
  }

  /**
   * Starts the members.
   *
   * @param environmentOf callback that returns the variables of a member, with the URL of the store
   */
  static async open(count: number, environmentOf: EnvironmentOf): Promise<Members> {
    const members = new Members(environmentOf);
    for (let at = 0; at < count; at++) {
      members.#stateDirs.push(await tempDir());
      members.#all.push(await members.#start(at, await freePort()));
    }
    return members;
  }

  get urls(): readonly string[] {
    return this.#all.map(({ url }) => url);
  }

  member(at: number): DaemonProcess {
    const member = this.#all[at];
    if (member === undefined) throw new Error(`there is no member ${String(at)}`);
    return member;
  }

  /** Waits until a member reports itself as leader, and returns its index. */
  async writer(): Promise<number> {
    for (;;) {
      for (const at of this.#all.keys()) {
        const view = await this.#view(at);
        if (view?.leader?.id === view?.member_id && view !== undefined) return at;
      }
      await delay(10);
    }
  }

  /** Restarts a member at the same address and with the same state directory. */
  async startAgain(at: number): Promise<void> {
    this.#all[at] = await this.#start(at, Number(new URL(this.member(at).url).port));
  }

  /** Waits until all members have the same sequence number and know a leader. */
  async caughtUp(): Promise<void> {
    for (;;) {
      const views = await Promise.all([...this.#all.keys()].map((at) => this.#view(at)));
      const seqs = new Set(views.map((view) => (typeof view?.leader?.id === 'string' ? ownSeq(view) : undefined)));
      if (seqs.size === 1 && !seqs.has(undefined)) return;
      await delay(20);
    }
  }

  /**
   * Returns the lists of each member when all have the same sequence number. Retries, because a member that was paused
   * may notice the loss of its lease late and load its state again.
   */
  async lists(): Promise<readonly Lists[]> {
    for (let tries = 1; ; tries++) {
      await this.caughtUp();
      try {
        return await Promise.all(this.urls.map(listsOf));
      } catch (error) {
        if (tries === LISTS_TRIES) throw error;
        await delay(100);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((member) => member[Symbol.asyncDispose]()));
  }

  async #view(at: number): Promise<ClusterView | undefined> {
    const { url, lastWords, records } = this.member(at);
    if (lastWords !== undefined) {
      const last = records.filter(({ level }) => level !== 'info').slice(-RECORDS_SHOWN);
      throw new Error(`member ${String(at)} has ended by itself: ${lastWords}${JSON.stringify(last)}`);
    }
    const answer = await fetch(`${url}/api/mon/v1/cluster`).catch(() => undefined);
    return answer === undefined ? undefined : ((await answer.json()) as ClusterView);
  }

  async #start(at: number, port: number): Promise<DaemonProcess> {
    return startDaemon({ stateDir: this.#stateDirs[at] ?? '', port, env: this.#environmentOf(at) });
  }
}

const ownSeq = ({ member_id: id, members }: ClusterView): number | undefined =>
  members.find((member) => member.id === id)?.seq;

/**
 * Waits until a member other than the lost one accepts a write.
 *
 * @param gone index of the lost member
 * @returns the waiting time in milliseconds
 */
export async function takeOverMs(members: Members, gone: number): Promise<number> {
  const begin = performance.now();
  const { url } = members.member((gone + 1) % members.urls.length);
  const body = JSON.stringify({ source: 'take-over', name: 'probe', output: 'x', status: 0 });
  for (;;) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/results`, { method: 'POST', body, headers }).catch(() => undefined);
    if (answer?.status === 202) return performance.now() - begin;
    await delay(5);
  }
}

/**
 * Sorts the items of each list, so that lists of different backends can be compared: each backend has its own order.
 */
export function sameOrder(lists: Lists | undefined): unknown {
  return Object.values<Lists['events']>({ ...lists }).map((list) =>
    list.map((item) => JSON.stringify(item)).toSorted(),
  );
}
