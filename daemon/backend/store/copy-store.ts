import { createHash } from 'node:crypto';
import { MonError } from '../../../shared/errors.ts';
import type { Key, Lease, Store, StoreOp } from '../ports.ts';
import { encodeTuple } from './tuple.ts';

/** Maximum size of a batch of writes to the target, similar to the batches of a busy backend. */
const BATCH_ENTRIES = 1000;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Progress of copying a store. */
export interface CopyProgress {
  /** Number of entries of the source that were compared so far. */
  readonly entries: number;
  /** Number of entries that were written to the target or deleted from it, because the two stores differed there. */
  readonly written: number;
}

interface CopyOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

/**
 * Makes the target store equal to the source store. Equal entries are not written again. So an interrupted copy can be
 * repeated and then continues, and it ends correctly even if the source changed in between.
 *
 * @param target the target store, and the lease for writing to it; other processes must not write to either store
 * @throws MonError `internal` if the stores differ at the end; the reason of the signal if the copy was aborted
 */
export async function copyStore(
  source: Store,
  target: { readonly store: Store; readonly lease: Lease },
  { signal, onProgress }: CopyOptions,
): Promise<CopyProgress & { readonly sha256: string }> {
  const batch = new WriteBatch(target);
  let entries = 0;
  for await (const difference of compareStores(source.scan([]), target.store.scan([]))) {
    signal.throwIfAborted();
    if (difference.isInSource) entries++;
    if (difference.op === undefined) continue;
    batch.add(difference.op);
    if (batch.isFull) {
      await batch.write();
      onProgress({ entries, written: batch.written });
    }
  }
  await batch.write();
  const [expected, sha256] = await Promise.all([digestStore(source, signal), digestStore(target.store, signal)]);
  if (sha256 !== expected) {
    throw new MonError(
      'internal',
      'the copied store differs from the source: make sure that no other program writes to either store, then run the command again',
    );
  }
  return { entries, written: batch.written, sha256 };
}

class WriteBatch {
  written = 0;
  readonly #target: { readonly store: Store; readonly lease: Lease };
  #ops: StoreOp[] = [];
  #characters = 0;

  constructor(target: { readonly store: Store; readonly lease: Lease }) {
    this.#target = target;
  }

  get isFull(): boolean {
    return this.#ops.length >= BATCH_ENTRIES || this.#characters >= BATCH_CHARACTERS;
  }

  add(op: StoreOp): void {
    this.#ops.push(op);
    if (op.type === 'put') this.#characters += op.value.length;
  }

  async write(): Promise<void> {
    const ops = this.#ops;
    if (ops.length === 0) return;
    this.#ops = [];
    this.#characters = 0;
    await this.#target.store.write(this.#target.lease, ops, []);
    this.written += ops.length;
  }
}

type CopiedEntry = readonly [Key, string];

interface Difference {
  readonly isInSource: boolean;
  /** The operation that makes this key equal in the target store. Undefined if the key is equal already. */
  readonly op?: StoreOp;
}

/** Compares two stores key by key, in the order of their keys, and yields one result per key. */
async function* compareStores(
  source: AsyncIterable<CopiedEntry>,
  target: AsyncIterable<CopiedEntry>,
): AsyncGenerator<Difference, void, undefined> {
  await using sourceCursor = new EntryCursor(source);
  await using present = new EntryCursor(target);
  await sourceCursor.next();
  await present.next();
  while (sourceCursor.entry !== undefined || present.entry !== undefined) {
    const order = compareCursors(sourceCursor, present);
    if (order > 0) {
      if (present.entry !== undefined) yield { isInSource: false, op: { type: 'del', key: present.entry[0] } };
      await present.next();
      continue;
    }
    if (sourceCursor.entry !== undefined) {
      const [key, value] = sourceCursor.entry;
      const isSame = order === 0 && present.entry?.[1] === value;
      yield isSame ? { isInSource: true } : { isInSource: true, op: { type: 'put', key, value } };
    }
    await sourceCursor.next();
    if (order === 0) await present.next();
  }
}

/** Reads a store one entry at a time, and encodes the key of the current entry for comparisons. */
class EntryCursor implements AsyncDisposable {
  entry: CopiedEntry | undefined;
  encoded = Buffer.alloc(0);
  readonly #entries: AsyncIterator<CopiedEntry>;

  constructor(entries: AsyncIterable<CopiedEntry>) {
    this.#entries = entries[Symbol.asyncIterator]();
  }

  async next(): Promise<void> {
    const { done, value } = await this.#entries.next();
    this.entry = done === true ? undefined : value;
    if (this.entry !== undefined) this.encoded = Buffer.from(encodeTuple(this.entry[0]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#entries.return?.();
  }
}

/** Compares the current keys of two cursors. A cursor that has no more entries sorts last. */
function compareCursors(one: EntryCursor, other: EntryCursor): number {
  if (one.entry === undefined) return 1;
  if (other.entry === undefined) return -1;
  return Buffer.compare(one.encoded, other.encoded);
}

/** Returns the SHA-256 over all keys and values of a store and their lengths, in hexadecimal digits. */
async function digestStore(store: Store, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const [key, value] of store.scan([])) {
    signal.throwIfAborted();
    const encoded = encodeTuple(key);
    // The lengths are hashed too, so that the hash changes if a character moves from a key into its value.
    hash.update(`${String(encoded.length)} ${String(value.length)} ${encoded}${value}`);
  }
  return hash.digest('hex');
}
