import { errorMessage } from '../../../shared/errors.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import type { Log } from '../../log/log.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { Clock, Key, Store } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { CheckpointWriter } from './checkpoints.ts';
import { ExcessTransitions } from './excess.ts';
import { distinctNamesBelow } from './sources.ts';
import {
  indexOfCheck,
  indexOfSilence,
  reverseId,
  TIMELINE_HEAD,
  TIMELINE_PREFIX,
  timelineOf,
} from '../model/timeline/storage.ts';

const PERIOD_MS = 10_000;

/** Number of transitions that are erased in one commit. Erasing them takes as long as a usual batch. */
const SLICE_TRANSITIONS = 500;

/**
 * Maximum number of transitions that are erased per period and reason. It is 200 per second, more than a site creates
 * in the long run.
 */
const ERASED_MAX = 4 * SLICE_TRANSITIONS;

const DAY_MS = 86_400_000;

interface TrimDependencies {
  readonly batcher: Pick<Batcher, 'run'>;
  readonly registry: Registry;
  readonly store: Pick<Store, 'scan'>;
  readonly checkpoints: Pick<CheckpointWriter, 'eraseCheckpointsBefore' | 'forget'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Erases old transitions, a few at a time: transitions older than the retention, and transitions beyond the maximum
 * number per check (spec, timeline 3).
 */
export class TimelineTrim implements AsyncDisposable {
  readonly #dependencies: TrimDependencies;
  readonly #excess: ExcessTransitions;
  readonly #timer: Disposable;
  /** Promise of the running erasure; undefined if no erasure is running. */
  #work: Promise<void> | undefined;

  constructor(dependencies: TrimDependencies) {
    this.#dependencies = dependencies;
    const { registry, store } = dependencies;
    this.#excess = new ExcessTransitions({ timeline: registry.timeline, store, erase: (keys) => this.#erase(keys) });
    this.#timer = dependencies.clock.every(PERIOD_MS, () => {
      this.#work ??= this.#trim();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    await this.#work;
  }

  async #trim(): Promise<void> {
    try {
      await this.#forgetBeginning();
      await this.#eraseOld();
      await this.#excess.erase(ERASED_MAX);
    } catch (error) {
      this.#dependencies.log.warn(
        { reason: errorMessage(error) },
        'could not delete old state transitions from the timeline, retrying soon',
      );
    } finally {
      this.#work = undefined;
    }
  }

  /**
   * Erases the head record (counters and ids) of the timeline if the timeline is disabled, because it has gaps from
   * then on.
   */
  async #forgetBeginning(): Promise<void> {
    const { isKept, head } = this.#dependencies.registry.timeline;
    if (isKept || head === undefined) return;
    await this.#dependencies.batcher.run((transaction) => {
      transaction.registry.timeline.head = undefined;
      transaction.erase(TIMELINE_HEAD.key(transaction.registry, 'head'));
    });
  }

  async #eraseOld(): Promise<void> {
    const { registry, clock, store, checkpoints } = this.#dependencies;
    const { days } = registry.timeline.limits;
    const oldest = await checkpoints.eraseCheckpointsBefore(Math.max(0, clock.now() - days * DAY_MS) * 1000);
    const old: Key[] = [];
    for await (const namespace of distinctNamesBelow(store, [TIMELINE_PREFIX])) {
      // The timeline of a deleted namespace is erased completely.
      const isGone = !registry.hasNamespace(namespace);
      if (isGone) await checkpoints.forget(namespace);
      const isFullErase = days === 0 || isGone;
      const after = isFullErase ? undefined : [...timelineOf(namespace), reverseId(oldest)];
      const options = { ...(after && { after }), limit: ERASED_MAX - old.length / 2 };
      for await (const [key, text] of store.scan(timelineOf(namespace), options)) {
        old.push(key, indexKey(namespace, Number(key.at(-1)), JSON.parse(text) as Transition));
      }
      if (old.length >= 2 * ERASED_MAX) break;
    }
    await this.#erase(old);
  }

  async #erase(keys: readonly Key[]): Promise<void> {
    for (let start = 0; start < keys.length; start += 2 * SLICE_TRANSITIONS) {
      const slice = keys.slice(start, start + 2 * SLICE_TRANSITIONS);
      const erase = (transaction: Transaction): void => slice.forEach((key) => transaction.erase(key));
      await this.#dependencies.batcher.run(erase, { weight: SLICE_TRANSITIONS });
    }
  }
}

function indexKey(namespace: string, reversedId: number, { client, check, subscription }: Transition): Key {
  if (client === undefined) return [...indexOfSilence(namespace, subscription ?? null, check ?? null), reversedId];
  return [...indexOfCheck(namespace, client, check ?? ''), reversedId];
}
