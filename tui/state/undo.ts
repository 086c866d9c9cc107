import type { BulkOperation, BulkOutcome } from '../../shared/schemas/bulk.ts';

/** Maximum number of the user's changes that are kept for undo. */
const REMEMBERED_MAX = 20;

/** Time in milliseconds within which a change can be undone; later the user possibly does not remember the change. */
const UNDO_MS = 10 * 60_000;

/** A change made from this console. */
export interface OwnChange {
  readonly id: number;
  /** Epoch milliseconds when the change was made. */
  readonly atMs: number;
  /** The message that the console showed about the change. */
  readonly message: string;
  /** The operations that undo the change, in the order in which they are sent; empty if the change cannot be undone. */
  readonly operations: readonly BulkOperation[];
}

/** The last changes that the user made from this console. */
export class OwnChanges {
  #changes: readonly OwnChange[] = [];
  #nextId = 1;

  remember(said: string, operations: readonly BulkOperation[], nowMs: number): void {
    const change = { id: this.#nextId++, atMs: nowMs, message: said, operations };
    this.#changes = [...this.#changes, change].slice(-REMEMBERED_MAX);
  }

  /**
   * Returns `change`, the newest change that can be undone (`undefined` if there is none), and `since`, the newer
   * changes that cannot be undone.
   */
  last(nowMs: number): { readonly change: OwnChange | undefined; readonly since: readonly OwnChange[] } {
    const recent = this.#changes.filter(({ atMs }) => nowMs - atMs <= UNDO_MS);
    const at = recent.findLastIndex(({ operations }) => operations.length > 0);
    return { change: recent[at], since: recent.slice(at + 1) };
  }

  /** Removes a change that was undone. */
  forget(id: number): void {
    this.#changes = this.#changes.filter((change) => change.id !== id);
  }
}

/** Returns the operations that undo a change, the last operation first. */
export function undoOperations(results: readonly BulkOutcome[]): readonly BulkOperation[] {
  return results.flatMap(({ undo }) => undo ?? []).toReversed();
}
