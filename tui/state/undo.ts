import type { BulkOperation, BulkOutcome } from '../../shared/schemas/bulk.ts';

/** Own changes that are remembered. */
const REMEMBERED_MAX = 20;

/** How long a change can be taken back: after that nobody remembers what it was about. */
const UNDO_MS = 10 * 60_000;

/** A change made from this console. */
export interface OwnChange {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** What was done, as it was told. */
  readonly said: string;
  /** What takes it back, in the order to be sent; empty: nothing does. */
  readonly operations: readonly BulkOperation[];
}

/** The last own changes. */
export class OwnChanges {
  #changes: readonly OwnChange[] = [];
  #nextId = 1;

  remember(said: string, operations: readonly BulkOperation[], nowMs: number): void {
    const change = { id: this.#nextId++, atMs: nowMs, said, operations };
    this.#changes = [...this.#changes, change].slice(-REMEMBERED_MAX);
  }

  /** The newest change that can be taken back, and those made after it that cannot. */
  last(nowMs: number): { readonly change: OwnChange | undefined; readonly since: readonly OwnChange[] } {
    const recent = this.#changes.filter(({ atMs }) => nowMs - atMs <= UNDO_MS);
    const at = recent.findLastIndex(({ operations }) => operations.length > 0);
    return { change: recent[at], since: recent.slice(at + 1) };
  }

  /** A change was taken back, or cannot be. */
  forget(id: number): void {
    this.#changes = this.#changes.filter((change) => change.id !== id);
  }
}

/** What takes a change back: of several operations the last one first. */
export function undoOperations(results: readonly BulkOutcome[]): readonly BulkOperation[] {
  return results.flatMap(({ undo }) => undo ?? []).toReversed();
}
