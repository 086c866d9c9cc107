import type { PlanRun, PlanRunLogLine } from '../../../shared/schemas/plan-run.ts';

/**
 * Finds the new lines in the log of a plan. A long log is trimmed at its beginning, so counting lines does not
 * work.
 */
export class LogReader {
  #last: PlanRunLogLine | undefined;

  /** Returns the lines after the last one returned; all lines if that one was trimmed. */
  next({ log }: Pick<PlanRun, 'log'>): readonly PlanRunLogLine[] {
    const last = this.#last;
    const at = last === undefined ? -1 : log.findLastIndex((line) => isSame(line, last));
    this.#last = log.at(-1) ?? last;
    return log.slice(at + 1);
  }
}

function isSame(a: PlanRunLogLine, b: PlanRunLogLine): boolean {
  return a.at === b.at && a.step === b.step && a.text === b.text;
}
