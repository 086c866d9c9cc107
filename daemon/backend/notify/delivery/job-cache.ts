import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { Store } from '../../ports.ts';
import { decodeJob } from '../../model/notify/delivery/stored-job.ts';
import { handlerJobKey } from '../../model/notify/delivery/storage.ts';

/**
 * Maximum number of waiting jobs that are kept in memory. It is limited because the event of a job takes some
 * kilobytes. All other jobs are read from the store when they run.
 */
const CACHED_JOBS_MAX = 1000;
/** Maximum number of jobs that are read from the store in one request. */
const JOBS_PER_READ_MAX = 100;

type PendingRead = PromiseWithResolvers<HandlerJob | undefined>;

/**
 * A cache of the jobs that wait in the queues of handlers. All jobs are in the store, and the cache has some of them in
 * memory too.
 */
export class JobCache {
  readonly #store: Pick<Store, 'getMany'>;
  readonly #cachedJobsMax: number;
  readonly #cachedJobs = new Map<number, HandlerJob>();
  #pendingReads = new Map<number, PendingRead>();

  constructor(store: Pick<Store, 'getMany'>, cachedJobsMax = CACHED_JOBS_MAX) {
    this.#store = store;
    this.#cachedJobsMax = cachedJobsMax;
  }

  /** Keeps a stored job in memory until its run needs it, unless the cache is full. */
  add(job: HandlerJob): void {
    if (this.#cachedJobs.size < this.#cachedJobsMax) this.#cachedJobs.set(job.id, job);
  }

  /**
   * Returns a job, from memory or else from the store. Removes the job from memory.
   *
   * @returns undefined when the job is not stored any more
   * @throws MonError `unavailable` when the store cannot be read
   */
  load(id: number): Promise<HandlerJob | undefined> | HandlerJob {
    const cachedJob = this.#cachedJobs.get(id);
    if (cachedJob === undefined) return this.#read(id);
    this.#cachedJobs.delete(id);
    return cachedJob;
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
    for (let start = 0; start < pendingReads.length; start += JOBS_PER_READ_MAX)
      await this.#readChunk(pendingReads.slice(start, start + JOBS_PER_READ_MAX));
  }

  async #readChunk(reads: readonly (readonly [number, PendingRead])[]): Promise<void> {
    try {
      const values = await this.#store.getMany(reads.map(([id]) => handlerJobKey(id)));
      reads.forEach(([, { resolve }], index) => {
        const value = values[index];
        resolve(value === undefined ? undefined : decodeJob(value));
      });
    } catch (error) {
      for (const [, { reject }] of reads) reject(error);
    }
  }
}
