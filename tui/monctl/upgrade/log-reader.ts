import type { PlanRun, PlanRunLogLine } from '../../../shared/schemas/plan-run.ts';

/** Tells which lines of the log of a plan are new. A log is cut at its beginning once it is long, so they cannot be counted. */
export class LogReader {
  #last: PlanRunLogLine | undefined;

  /** The lines behind the last one that was told; all of them when that one is no longer kept. */
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
