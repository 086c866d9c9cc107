import { correctionCount } from '../../clock/corrections.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { isCheckpointDue } from '../../../shared/domain/timeline/past.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { Clock, Key, Store } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import {
  initialCheckpointOf,
  readCheckpoints,
  isComplete,
  encodeClientPart,
  encodeSilences,
  type Checkpoint,
  type CompleteCheckpoint,
  type EncodedClientPart,
} from './checkpoint.ts';
import {
  checkpointKey,
  clientPartsOf,
  checkpointPartsKey,
  reverseId,
  silencePartsOf,
  TIMELINE_HEAD,
  timeOf,
} from '../model/timeline/storage.ts';
import { isBlank, newTimelineId } from '../model/timeline/mutations.ts';

const PERIOD_MS = 10_000;

/** Number of checkpoint parts that are erased in one commit. */
const SLICE_PARTS = 500;

/**
 * Weight in the commit queue of writing a part, or of erasing some parts: the number of results that take the same
 * time.
 */
const PART_WEIGHT = 100;

const NO_CLIENTS: EncodedClientPart = { text: undefined, rows: 0, after: undefined };

interface CheckpointDependencies {
  readonly batcher: Pick<Batcher, 'run'>;
  readonly registry: Registry;
  readonly store: Pick<Store, 'scan'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes checkpoints of the state periodically, so that few transitions must be read to rebuild the state at any past
 * time (spec, timeline 5). Each commit writes a few clients. They are read from memory in the same commit, so that they
 * are consistent with the transitions. A checkpoint is used only after its last commit; until then the previous one is
 * used.
 */
export class CheckpointWriter implements AsyncDisposable {
  readonly #dependencies: CheckpointDependencies;
  readonly #timer: Disposable;
  /** Promise of the running check whether a checkpoint is due, and of its writing; undefined if no check is running. */
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(dependencies: CheckpointDependencies) {
    this.#dependencies = dependencies;
    this.#timer = dependencies.clock.every(PERIOD_MS, () => {
      this.#work ??= this.#writeIfDue();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer[Symbol.dispose]();
    await this.#work;
  }

  /**
   * Erases checkpoints before the transitions that they need are erased. If the timeline is disabled, erases all
   * checkpoints.
   *
   * @param id id before which the caller wants to erase transitions
   * @returns the id before which the caller can erase transitions; later transitions are needed for the newest
   *   checkpoint
   */
  async eraseCheckpointsBefore(id: number): Promise<number> {
    const all = await readCheckpoints(this.#dependencies.store);
    const { isKept } = this.#dependencies.registry.timeline;
    const newest = isKept ? all.find(isComplete) : undefined;
    for (const one of all) {
      // An incomplete checkpoint is not erased here, because it is possibly being written.
      if (isKept ? isComplete(one) && one !== newest && one.from < id : true) await this.#erase(one);
    }
    const upTo = Math.min(id, newest?.from ?? Infinity);
    const { head } = this.#dependencies.registry.timeline;
    if (head?.isWhole === true && head.since * 1000 < upTo) await this.#dependencies.batcher.run(forgetBeginning);
    return upTo;
  }

  /** Erases the parts of a deleted namespace from all checkpoints. */
  async forget(namespace: string): Promise<void> {
    const { store } = this.#dependencies;
    for (const { from } of await readCheckpoints(store)) {
      await this.#eraseBelow([...checkpointPartsKey(reverseId(from)), namespace]);
    }
  }

  async #writeIfDue(): Promise<void> {
    const { registry, store, clock, log } = this.#dependencies;
    try {
      if (!registry.timeline.isKept || (registry.timeline.head === undefined && isBlank(registry))) return;
      const all = await readCheckpoints(store);
      const newest = all.find(isComplete) ?? initialCheckpointOf(registry.timeline);
      const isDue =
        newest === undefined ||
        newest.era !== correctionCount(registry.corrections) ||
        isCheckpointDue({
          transitions: (registry.timeline.head?.count ?? 0) - newest.count,
          rows: newest.rows,
          ageMs: clock.now() - timeOf(newest.id),
        });
      if (!isDue) return;
      // Erases incomplete checkpoints: another backend, or this backend before a restart, did not finish them.
      for (const one of all) if (!isComplete(one)) await this.#erase(one);
      await this.#write();
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'could not save a snapshot of the event history, retrying soon');
    } finally {
      this.#work = undefined;
    }
  }

  async #write(): Promise<void> {
    const { batcher, registry } = this.#dependencies;
    const begun = await batcher.run((transaction) => putCheckpoint(transaction, beginCheckpoint(transaction)));
    const reversedId = reverseId(begun.from);
    let rows = 0;
    for (const namespace of Array.from(registry.namespaces(), ({ name }) => name)) {
      rows += await batcher.run((transaction) => writeSilences(transaction, reversedId, namespace), {
        weight: PART_WEIGHT,
      });
      rows += await this.#writeClients(reversedId, namespace);
    }
    await batcher.run((transaction) => putCheckpoint(transaction, { ...begun, rows, id: newTimelineId(transaction) }));
  }

  async #writeClients(reversedId: number, namespace: string): Promise<number> {
    let rows = 0;
    let after: string | undefined;
    for (let part = 0; ; part++) {
      const from = after;
      const taken = await this.#dependencies.batcher.run(
        (transaction) => {
          const { timeline } = transaction.registry;
          const existing = transaction.registry.findNamespace(namespace);
          if (existing === undefined) return NO_CLIENTS;
          const some = encodeClientPart(existing, timeline.head?.last ?? 0, from);
          if (some.text !== undefined) transaction.write([...clientPartsOf(reversedId, namespace), part], some.text);
          return some;
        },
        { weight: PART_WEIGHT },
      );
      rows += taken.rows;
      ({ after } = taken);
      if (after === undefined) return rows;
      if (this.#isClosed) throw new Error('the backend is stopping');
    }
  }

  /** Erases a checkpoint. First marks it as incomplete, so that no reader uses it while its parts are being erased. */
  async #erase({ id: _id, ...checkpoint }: Checkpoint): Promise<void> {
    await this.#dependencies.batcher.run((transaction) => putCheckpoint(transaction, checkpoint));
    const reversedId = reverseId(checkpoint.from);
    await this.#eraseBelow(checkpointPartsKey(reversedId));
    await this.#dependencies.batcher.run((transaction) => transaction.erase(checkpointKey(reversedId)));
  }

  async #eraseBelow(prefix: Key): Promise<void> {
    const { batcher, store } = this.#dependencies;
    for (;;) {
      const keys: Key[] = [];
      for await (const [key] of store.scan(prefix, { limit: SLICE_PARTS })) keys.push(key);
      if (keys.length === 0) return;
      await batcher.run((transaction) => keys.forEach((key) => transaction.erase(key)), { weight: PART_WEIGHT });
    }
  }
}

function beginCheckpoint(transaction: Transaction): Checkpoint {
  const { timeline, corrections } = transaction.registry;
  // Includes the two ids of the checkpoint itself, so that they do not count as later transitions.
  const count = (timeline.head?.count ?? 0) + 2;
  return { from: newTimelineId(transaction), count, rows: 0, era: correctionCount(corrections) };
}

function forgetBeginning(transaction: Transaction): void {
  transaction.registry.timeline.noteErased();
  transaction.putLatest(TIMELINE_HEAD, transaction.registry, 'head');
}

function putCheckpoint<Some extends Checkpoint | CompleteCheckpoint>(transaction: Transaction, checkpoint: Some): Some {
  transaction.write(checkpointKey(reverseId(checkpoint.from)), JSON.stringify(checkpoint));
  return checkpoint;
}

function writeSilences(transaction: Transaction, reversedId: number, name: string): number {
  const namespace = transaction.registry.findNamespace(name);
  if (namespace === undefined) return 0;
  const { texts, rows } = encodeSilences(namespace);
  for (const [part, text] of texts.entries()) transaction.write([...silencePartsOf(reversedId, name), part], text);
  return rows;
}
