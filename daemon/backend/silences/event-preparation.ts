import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { runInChunks } from '../store/time-slice.ts';

/**
 * Evaluates the selectors of silences for some checks in chunks and caches the results. A synchronous look-up of their
 * silences right afterwards then needs no evaluation.
 */
export async function prepareSilences(entries: readonly CheckEntry[]): Promise<void> {
  const [first] = entries;
  if (first === undefined || entries.every(isPrepared)) return;
  await runInChunks(prepareEntries(entries));
}

function isPrepared(entry: CheckEntry): boolean {
  return entry.client.namespace.silenced.isPrepared(entry);
}

function* prepareEntries(entries: Iterable<CheckEntry>): Generator<void, void, undefined> {
  for (const entry of entries) {
    if (!isPrepared(entry)) yield* entry.client.namespace.silenced.prepare(entry);
    yield;
  }
}

/**
 * Evaluates the selectors of silences for all open events in chunks. It does so at the start, after each change of a
 * silence with a selector, and after the registry was reloaded. Until it is done, the feed delays its updates.
 */
export class EventPreparation implements Disposable {
  readonly #registry: Registry;
  readonly #listening: readonly Disposable[];
  #generation: number;
  #isPending = true;
  #isWorking = false;
  #isDisposed = false;

  constructor({
    registry,
    commits,
  }: {
    readonly registry: Registry;
    readonly commits: Pick<CommitBoard, 'onCommit' | 'onIdle'>;
  }) {
    this.#registry = registry;
    this.#generation = registry.generation;
    this.#listening = [
      commits.onCommit(({ changes }) => {
        if (changes.some((change) => change[0] === 'silenced' && change[4] !== undefined)) this.#start();
      }),
      commits.onIdle(() => {
        if (this.#generation !== registry.generation) this.#start();
      }),
    ];
    this.#start();
  }

  /**
   * True if the selectors were evaluated for all open events, so that their silences can be looked up without delay.
   */
  get isDone(): boolean {
    return !this.#isWorking;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const listening of this.#listening) listening[Symbol.dispose]();
  }

  #start(): void {
    this.#isPending = true;
    if (!this.#isWorking) void this.#work();
  }

  /**
   * Evaluates selectors until no change is left to process. The promise never rejects, because the evaluation of a
   * selector cannot fail.
   */
  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#isPending && !this.#isDisposed) {
      this.#isPending = false;
      this.#generation = this.#registry.generation;
      await runInChunks(this.#steps());
    }
    this.#isWorking = false;
  }

  *#steps(): Generator<void, void, undefined> {
    const { generation } = this.#registry;
    for (const namespace of this.#registry.namespaces()) {
      if (!namespace.silenced.hasSelectors) continue;
      for (const client of namespace.clients.values()) {
        if (this.#isDisposed || this.#registry.generation !== generation) return;
        if (client.openEvents === 0) continue;
        for (const entry of client.checks.values()) {
          if (entry.state.event === undefined || isPrepared(entry)) continue;
          yield* namespace.silenced.prepare(entry);
          yield;
        }
        yield;
      }
    }
  }
}
