import type { VerdictKind } from '../../../shared/schemas/explain.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';

/** The verdicts after which a handler is not notified. */
type SuppressingVerdict = Exclude<VerdictKind, 'handle' | 'unknown_mutator' | 'no_event'>;

/** Counts the notifications that were suppressed since the start, by the verdict, from the notes of the commits. */
export class SuppressedNotifications implements Disposable {
  readonly #counts: Record<SuppressingVerdict, number> = {
    disabled: 0,
    action: 0,
    severity: 0,
    silenced: 0,
    inhibited: 0,
    filtered: 0,
    overflow: 0,
    unknown_handler: 0,
    unknown_pipeline: 0,
    empty_pipeline: 0,
    nested_set: 0,
  };
  readonly #listening: Disposable;

  constructor(commits: Pick<CommitBoard, 'onCommit'>) {
    this.#listening = commits.onCommit(({ handlingNotes }) => {
      for (const { verdicts } of handlingNotes) for (const { verdict } of verdicts) this.#count(verdict);
    });
  }

  /** The number of suppressed notifications by verdict. */
  get counts(): Readonly<Record<SuppressingVerdict, number>> {
    return this.#counts;
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #count(verdict: VerdictKind): void {
    // Verdicts that notify are noted too, if a filter has a defect.
    if (verdict === 'handle' || verdict === 'unknown_mutator' || verdict === 'no_event') return;
    this.#counts[verdict]++;
  }
}
