import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
import type { Store } from '../../ports.ts';
import { jobOfStored } from '../../model/notify/delivery/stored-job.ts';
import { handlerJobKey } from '../../model/notify/delivery/storage.ts';

/** Most waiting jobs kept in memory, with their events of some kilobytes each; the others are read on demand. */
const KEPT_MAX = 1000;
/** Most jobs read in one request to the store. */
const READ_MAX = 100;

type PendingRead = PromiseWithResolvers<HandlerJob | undefined>;

/** The jobs of the tickets: all are in the store, some in memory as well. */
export class JobBodies {
  readonly #store: Pick<Store, 'getMany'>;
  readonly #keptMax: number;
  readonly #kept = new Map<number, HandlerJob>();
  #pendingReads = new Map<number, PendingRead>();

  constructor(store: Pick<Store, 'getMany'>, keptMax = KEPT_MAX) {
    this.#store = store;
    this.#keptMax = keptMax;
  }

  /** Keeps a stored job in memory until it is taken, if the limit allows it. */
  keep(job: HandlerJob): void {
    if (this.#kept.size < this.#keptMax) this.#kept.set(job.id, job);
  }

  /**
   * @returns undefined when the job is no longer stored
   * @throws MonError `unavailable` when the store cannot be read
   */
  take(id: number): Promise<HandlerJob | undefined> | HandlerJob {
    const kept = this.#kept.get(id);
    if (kept === undefined) return this.#read(id);
    this.#kept.delete(id);
    return kept;
  }

  #read(id: number): Promise<HandlerJob | undefined> {
    // Jobs requested in the same turn of the event loop are read together.
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
