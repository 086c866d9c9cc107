import type { VerdictKind } from '../../../shared/schemas/explain.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';

/** A verdict that does not lead to a run of the handler. */
type SuppressingVerdict = Exclude<VerdictKind, 'handle' | 'unknown_mutator' | 'no_event'>;

/**
 * Counts by verdict how often a handler was not notified of an event. The counts begin at 0 when the backend starts.
 * They are updated after each commit.
 */
export class SuppressionCounter implements Disposable {
  readonly #counts: Record<SuppressingVerdict, number> = {
    disabled: 0,
    action: 0,
    severity: 0,
    silenced: 0,
    inhibited: 0,
    acknowledged: 0,
    filtered: 0,
    overflow: 0,
    nobody_on_call: 0,
    unknown_handler: 0,
    unknown_pipeline: 0,
    empty_pipeline: 0,
    nested_set: 0,
    nested_escalation: 0,
  };
  readonly #commitListener: Disposable;

  constructor(commits: Pick<CommitBoard, 'onCommit'>) {
    this.#commitListener = commits.onCommit(({ handlingNotes }) => {
      for (const { verdicts } of handlingNotes) for (const { verdict } of verdicts) this.#count(verdict);
    });
  }

  /** The number of times that a handler was not notified of an event since the backend started, by verdict. */
  get counts(): Readonly<Record<SuppressingVerdict, number>> {
    return this.#counts;
  }

  [Symbol.dispose](): void {
    this.#commitListener[Symbol.dispose]();
  }

  #count(verdict: VerdictKind): void {
    // Verdicts that lead to a run are not counted. They are reported too, for example if a filter has a defect.
    if (verdict === 'handle' || verdict === 'unknown_mutator' || verdict === 'no_event') return;
    this.#counts[verdict]++;
  }
}
