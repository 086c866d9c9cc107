import { HISTORY_LENGTH } from '../../shared/domain/history.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { run, SEVERITY_STYLES, type Run } from '../text/theme.ts';

/**
 * Returns one symbol for each of the last statuses of a check, the newest on the right, as many as fit into `cells`.
 */
export function historyRuns(history: readonly number[], cells = HISTORY_LENGTH): readonly Run[] {
  return newestStatuses(history, cells).map((status) => {
    const { symbol, tone } = SEVERITY_STYLES[severityOf(status)];
    return run(symbol, tone);
  });
}

/** Returns the symbols of the last statuses of a check as text without colors. */
export function historyText(history: readonly number[], cells = HISTORY_LENGTH): string {
  return newestStatuses(history, cells)
    .map((status) => SEVERITY_STYLES[severityOf(status)].symbol)
    .join('');
}

function newestStatuses(history: readonly number[], cells: number): readonly number[] {
  return cells <= 0 ? [] : history.slice(-cells);
}
