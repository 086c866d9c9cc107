import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { Store } from '../../ports.ts';
import { jobOfStored } from '../../model/notify/delivery/stored-job.ts';
import { handlerJobKey } from '../../model/notify/delivery/storage.ts';

/**
 * Maximum number of waiting jobs in memory, because the event of a job takes some kilobytes. Further jobs are read from
 * the store when they run.
 */
const KEPT_MAX = 1000;
/** Maximum number of jobs that are read from the store in one request. */
const READ_MAX = 100;

type PendingRead = PromiseWithResolvers<HandlerJob | undefined>;

/**
 * A cache of the jobs that wait in the queues of handlers. All of them are in the store, and some are also in memory.
 */
export class JobBodies {
  readonly #store: Pick<Store, 'getMany'>;
  readonly #keptMax: number;
  readonly #kept = new Map<number, HandlerJob>();
  #pendingReads = new Map<number, PendingRead>();

  constructor(store: Pick<Store, 'getMany'>, keptMax = KEPT_MAX) {
    this.#store = store;
    this.#keptMax = keptMax;
  }

  /** Keeps a stored job in memory until its run needs it, unless the cache is full. */
  keep(job: HandlerJob): void {
    if (this.#kept.size < this.#keptMax) this.#kept.set(job.id, job);
  }

  /**
   * Returns a job and removes it from memory; a job that is not in memory is read from the store.
   *
   * @returns undefined when the job is not stored any more
   * @throws MonError `unavailable` when the store cannot be read
   */
  take(id: number): Promise<HandlerJob | undefined> | HandlerJob {
    const kept = this.#kept.get(id);
    if (kept === undefined) return this.#read(id);
    this.#kept.delete(id);
    return kept;
  }

  #read(id: number): Promise<HandlerJob | undefined> {
    // Jobs that are requested in the same iteration of the event loop are read together.
    if (this.#pendingReads.size === 0) setImmediate(() => void this.#readPending());
    const pendingRead = Promise.withResolvers<HandlerJob | undefined>();
    this.#pendingReads.set(id, pendingRead);
    return pendingRead.promise;
  }

  async #readPending(): Promise<void> {
    const pendingReads = [...this.#pendingReads];
    this.#pendingReads = new Map();
    for (let start = 0; start < pendingReads.length; start += READ_MAX)
      await this.#readSome(pendingReads.slice(start, start + READ_MAX));
  }

  async #readSome(some: readonly (readonly [number, PendingRead])[]): Promise<void> {
    try {
      const values = await this.#store.getMany(some.map(([id]) => handlerJobKey(id)));
      some.forEach(([, { resolve }], at) => {
        const value = values[at];
        resolve(value === undefined ? undefined : jobOfStored(value));
      });
    } catch (error) {
      for (const [, { reject }] of some) reject(error);
    }
  }
}
