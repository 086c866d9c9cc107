import { MonError } from '../../../shared/errors.ts';
import type { Clock, Durability } from '../ports.ts';
import { assertDiskWorks } from '../../disk/assert-disk-works.ts';
import { diskError } from './disk-error.ts';
import { UnsettledWriteError } from './unsettled-write.ts';
import { LogTail, type LogEnd } from './log-tail.ts';
import { StoreIdentity } from './store-identity.ts';
import { batchSlice } from './time-slice.ts';
import { openWithAllLogs } from './open-with-all-logs.ts';
import type { Database } from './database.ts';

/** An encoded key and its new value. If the value is undefined, the key is deleted. */
export type WriteEntry = readonly [key: string, value: string | undefined];

/** Maximum time that a failed write waits for its data to be removed from the log, in milliseconds. */
const SETTLE_MS_MAX = 3000;
const SETTLE_RETRY_MS = 50;

/**
 * Writes batches atomically, one at a time, even if the disk fails in the middle of a batch.
 *
 * A batch whose write or sync fails can still be in LevelDB's log, whole or in part, and the next start would read it.
 * The rule is: **a write is rejected only once it is undone for good**. A write is undone for good when the log is
 * truncated to its previous end and the truncation is synced. Then neither a kill nor a power cut brings the batch
 * back. If the disk does not allow this within three seconds, the caller gets an `UnsettledWriteError`: the outcome of
 * the write is unknown. The truncation is then retried until it succeeds, and no other write is accepted until then.
 * The batch can appear at the next start only if the process ends before the truncation.
 *
 * After a failed write LevelDB must not append to the same log again, because a torn record in the middle of a log can
 * make later records unreadable. After a failed sync LevelDB rejects further appends. So every write is rejected until
 * `reopen` has begun a new log.
 */
export class AtomicWriter {
  readonly #database: Database;
  readonly #writeBufferBytes: number;
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly #log: LogTail;
  readonly #identity: StoreIdentity;
  /**
   * The end of LevelDB's write-ahead log before a failed write. The log must be truncated to this end before the next
   * write. Undefined if the log need not be truncated.
   */
  #truncateTo: LogEnd | undefined;
  #refusal: MonError | undefined;

  constructor(database: Database, writeBufferBytes: number, clock: Pick<Clock, 'after' | 'monotonic'>) {
    this.#database = database;
    this.#writeBufferBytes = writeBufferBytes;
    this.#clock = clock;
    this.#log = new LogTail(database.location);
    this.#identity = new StoreIdentity(database.location);
  }

  /** The error with which writes are rejected until `reopen` succeeds; undefined while writes are accepted. */
  get refusal(): MonError | undefined {
    return this.#refusal;
  }

  /**
   * Writes a batch.
   *
   * @throws MonError `unavailable` if the batch was not written and cannot appear after a restart
   * @throws UnsettledWriteError if the outcome is unknown: the batch can still appear after a restart
   */
  async write(entries: readonly WriteEntry[], durability: Durability): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const { location } = this.#database;
    this.#refuseIfReplaced();
    const end = await this.#log.end().catch((error: unknown) => {
      // A `MonError` means that the store was deleted. Retries cannot help, so later writes are rejected too.
      if (error instanceof MonError) this.#refusal = error;
      throw error instanceof MonError ? error : diskError(location, 'write', error);
    });
    try {
      await applyBatch(this.#database, entries, durability);
    } catch (error) {
      this.#refusal = diskError(location, 'write', error);
      this.#truncateTo = end;
      await this.#undoFailedWrite(error);
      throw this.#refusal;
    }
  }

  /**
   * Reopens the database after a failed write. While the disk still fails, the database stays open, so that it can be
   * read. Call it only while no write is in progress.
   *
   * @param verify callback that checks the reopened database; throws if acknowledged data is missing
   * @throws Error if the disk still fails or `verify` throws; `reopen` can be called again
   */
  async reopen(verify: () => Promise<void>): Promise<void> {
    const { location } = this.#database;
    this.#identity.assertSame();
    await assertDiskWorks(location, 2 * this.#writeBufferBytes);
    await this.#database.close();
    // Truncate the log again: on closing, LevelDB wrote the end of the log that it still had in memory.
    await this.#truncateLog();
    await this.#log.close();
    await openWithAllLogs(location, async () => {
      this.#identity.assertSame();
      await this.#database.open({ createIfMissing: false });
      return this.#database;
    });
    try {
      await verify();
    } catch (error) {
      await this.#database.close();
      throw error;
    }
    this.#refusal = undefined;
  }

  /**
   * True if the path of the database still leads to the store that this process opened. If not, this process must not
   * write there.
   */
  get isSameStore(): boolean {
    return this.#identity.isSame;
  }

  /**
   * Closes the log, and first tries to complete a pending truncation. Call it after the database was closed for good.
   */
  async close(): Promise<void> {
    await this.#truncateLog().catch(() => undefined);
    await this.#log.close();
  }

  #refuseIfReplaced(): void {
    try {
      this.#identity.assertSame();
    } catch (error) {
      if (error instanceof MonError) this.#refusal = error;
      throw error;
    }
  }

  async #undoFailedWrite(cause: unknown): Promise<void> {
    const end = this.#truncateTo;
    if (end === undefined) return;
    const deadline = this.#clock.monotonic() + SETTLE_MS_MAX;
    for (;;) {
      try {
        this.#identity.assertSame();
        await this.#log.truncateTo(end);
        return;
      } catch {
        if (this.#clock.monotonic() >= deadline) {
          const { message } = diskError(this.#database.location, 'write', cause);
          throw new UnsettledWriteError(
            `${message}; incomplete data of this write is still on disk and will be removed`,
            cause,
          );
        }
      }
      await new Promise<void>((resolve) => void this.#clock.after(SETTLE_RETRY_MS, resolve));
    }
  }

  async #truncateLog(): Promise<void> {
    if (this.#truncateTo === undefined) return;
    this.#identity.assertSame();
    await this.#log.truncateTo(this.#truncateTo);
    this.#truncateTo = undefined;
  }
}

/** Writes the entries as a chained batch, which takes a third less time than an array of operations. */
async function applyBatch(database: Database, entries: readonly WriteEntry[], durability: Durability): Promise<void> {
  const batch = database.batch();
  const timeSlice = batchSlice(entries.length);
  for (const [key, value] of entries) {
    if (timeSlice?.isDue === true) await timeSlice.shareFirst();
    if (value === undefined) batch.del(key);
    else batch.put(key, value);
  }
  await batch.write({ sync: durability === 'power' });
}
