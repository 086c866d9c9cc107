import type { PlanRun, PlanRunLogLine } from '../../../shared/schemas/plan-run.ts';

/**
 * Finds the new lines in the log of an upgrade plan. The backend trims a long log at its beginning, so lines cannot be
 * identified by their position.
 */
export class LogReader {
  #last: PlanRunLogLine | undefined;

  /**
   * Returns the lines after the last line of the previous call; all lines if that line was trimmed or there was no such
   * call.
   */
  next({ log }: Pick<PlanRun, 'log'>): readonly PlanRunLogLine[] {
    const last = this.#last;
    const at = last === undefined ? -1 : log.findLastIndex((line) => isSameLine(line, last));
    this.#last = log.at(-1) ?? last;
    return log.slice(at + 1);
  }
}

function isSameLine(a: PlanRunLogLine, b: PlanRunLogLine): boolean {
  return a.at === b.at && a.step === b.step && a.text === b.text;
}
