import { eraOf } from '../../clock/corrections.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { isCheckpointDue } from '../../../shared/domain/timeline/past.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../commit/transaction.ts';
import type { Clock, Key, Store } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import {
  beginningOf,
  checkpointsIn,
  isComplete,
  takeClients,
  takeSilences,
  type Checkpoint,
  type CompleteCheckpoint,
  type TakenClients,
} from './checkpoint.ts';
import { checkpointAt, clientPartsOf, partsAt, placeOf, silencePartsOf, TIMELINE_HEAD, timeOf } from './table.ts';
import { isBlank, newTimelineId } from './saved.ts';

const PERIOD_MS = 10_000;

/** Parts that are erased in one commit. */
const SLICE = 500;

/** What a part weighs in the queue: as much as the results that would take as long. */
const PART_WEIGHT = 100;

const NO_CLIENTS: TakenClients = { text: undefined, rows: 0, after: undefined };

interface CheckpointParts {
  readonly batcher: Pick<Batcher, 'run'>;
  readonly registry: Registry;
  readonly store: Pick<Store, 'scan'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes the state down from time to time, so that none is far from any moment (spec, timeline 5): a few clients in each commit,
 * taken from memory in that commit, so that a part and the transitions that follow it are always of one piece. The whole is
 * in force with its last commit, and until then the one before it is.
 */
export class Checkpoints implements AsyncDisposable {
  readonly #parts: CheckpointParts;
  readonly #timer: Disposable;
  /** Undefined: nothing is being written. */
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
    this.#timer = parts.clock.every(PERIOD_MS, () => {
      this.#work ??= this.#look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer[Symbol.dispose]();
    await this.#work;
  }

  /**
   * Gives up those that need transitions which are to be erased.
   *
   * @param id up to which they are
   * @returns up to which id they may be erased: what follows the newest checkpoint stays
   */
  async giveUpBefore(id: number): Promise<number> {
    const all = await checkpointsIn(this.#parts.store);
    const { isKept } = this.#parts.registry.timeline;
    const newest = isKept ? all.find(isComplete) : undefined;
    for (const one of all) {
      // One that is not complete may be under way.
      if (isKept ? isComplete(one) && one !== newest && one.from < id : true) await this.#erase(one);
    }
    const upTo = Math.min(id, newest?.from ?? Infinity);
    const { head } = this.#parts.registry.timeline;
    if (head?.isWhole === true && head.since * 1000 < upTo) await this.#parts.batcher.run(forgetBeginning);
    return upTo;
  }

  /** Erases what they have of a namespace that is gone. */
  async forget(namespace: string): Promise<void> {
    const { store } = this.#parts;
    for (const { from } of await checkpointsIn(store)) {
      await this.#eraseBelow([...partsAt(placeOf(from)), namespace]);
    }
  }

  async #look(): Promise<void> {
    const { registry, store, clock, log } = this.#parts;
    try {
      if (!registry.timeline.isKept || (registry.timeline.head === undefined && isBlank(registry))) return;
      const all = await checkpointsIn(store);
      const newest = all.find(isComplete) ?? beginningOf(registry.timeline);
      const isDue =
        newest === undefined ||
        newest.era !== eraOf(registry.corrections) ||
        isCheckpointDue({
          turns: (registry.timeline.head?.count ?? 0) - newest.count,
          rows: newest.rows,
          ageMs: clock.now() - timeOf(newest.id),
        });
      if (!isDue) return;
      // What another, or this backend before it stopped, did not finish.
      for (const one of all) if (!isComplete(one)) await this.#erase(one);
      await this.#write();
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'timeline checkpoint could not be written, retrying soon');
    } finally {
      this.#work = undefined;
    }
  }

  async #write(): Promise<void> {
    const { batcher, registry } = this.#parts;
    const begun = await batcher.run((transaction) => put(transaction, begin(transaction)));
    const place = placeOf(begun.from);
    let rows = 0;
    for (const namespace of Array.from(registry.namespaces(), ({ name }) => name)) {
      rows += await batcher.run((transaction) => writeSilences(transaction, place, namespace), { weight: PART_WEIGHT });
      rows += await this.#writeClients(place, namespace);
    }
    await batcher.run((transaction) => put(transaction, { ...begun, rows, id: newTimelineId(transaction) }));
  }

  async #writeClients(place: number, namespace: string): Promise<number> {
    let rows = 0;
    let after: string | undefined;
    for (let part = 0; ; part++) {
      const from = after;
      const taken = await this.#parts.batcher.run(
        (transaction) => {
          const { timeline } = transaction.registry;
          const held = transaction.registry.held(namespace);
          if (held === undefined) return NO_CLIENTS;
          const some = takeClients(held, timeline.head?.last ?? 0, from);
          if (some.text !== undefined) transaction.write([...clientPartsOf(place, namespace), part], some.text);
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

  /** A checkpoint is out of force before any of it goes. */
  async #erase({ id: _id, ...checkpoint }: Checkpoint): Promise<void> {
    await this.#parts.batcher.run((transaction) => put(transaction, checkpoint));
    const place = placeOf(checkpoint.from);
    await this.#eraseBelow(partsAt(place));
    await this.#parts.batcher.run((transaction) => transaction.erase(checkpointAt(place)));
  }

  async #eraseBelow(prefix: Key): Promise<void> {
    const { batcher, store } = this.#parts;
    for (;;) {
      const keys: Key[] = [];
      for await (const [key] of store.scan(prefix, { limit: SLICE })) keys.push(key);
      if (keys.length === 0) return;
      await batcher.run((transaction) => keys.forEach((key) => transaction.erase(key)), { weight: PART_WEIGHT });
    }
  }
}

function begin(transaction: Transaction): Checkpoint {
  const { timeline, corrections } = transaction.registry;
  // Its own two are no transitions.
  const count = (timeline.head?.count ?? 0) + 2;
  return { from: newTimelineId(transaction), count, rows: 0, era: eraOf(corrections) };
}

function forgetBeginning(transaction: Transaction): void {
  transaction.registry.timeline.noteErased();
  transaction.putLatest(TIMELINE_HEAD, transaction.registry, 'head');
}

function put<Some extends Checkpoint | CompleteCheckpoint>(transaction: Transaction, checkpoint: Some): Some {
  transaction.write(checkpointAt(placeOf(checkpoint.from)), JSON.stringify(checkpoint));
  return checkpoint;
}

function writeSilences(transaction: Transaction, place: number, name: string): number {
  const held = transaction.registry.held(name);
  if (held === undefined) return 0;
  const { texts, rows } = takeSilences(held);
  for (const [part, text] of texts.entries()) transaction.write([...silencePartsOf(place, name), part], text);
  return rows;
}
