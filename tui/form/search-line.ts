import { safeLine } from '../../shared/domain/terminal-text.ts';
import { keyOf } from '../state/keys.ts';
import type { SearchField } from '../state/search-field.ts';
import { run, type Run } from '../text/theme.ts';
import { runsWidth, spreadRuns } from '../text/runs.ts';
import { fieldRuns } from './text-field.ts';

/**
 * Returns the search line. While the user types in it, it shows the caret.
 *
 * @param matchText the number of matches, such as `3 of 12`
 */
export function searchRuns({ line, isOpen }: SearchField, matchText: string, columns: number): readonly Run[] {
  const count = line.text === '' ? [] : [run(` ${matchText} `, 'strong')];
  if (isOpen) {
    const fieldWidth = columns - 3 - runsWidth(count);
    return spreadRuns([run(' /', 'strong'), ...fieldRuns(line, fieldWidth, true)], count, columns);
  }
  const left = [
    run(' search: ', 'faint'),
    run(safeLine(line.text)),
    run(`  (${keyOf('search')} edit, ${keyOf('match-next')} next match, ${keyOf('search-clear')} clears)`, 'faint'),
  ];
  return spreadRuns(left, count, columns);
}
