import { safeLine } from '../../shared/domain/terminal-text.ts';
import { keyOf } from '../state/keys.ts';
import type { SearchField } from '../state/search-field.ts';
import { run, type Run } from '../text/theme.ts';
import { runsWidth, spread } from '../text/runs.ts';
import { fieldRuns } from './text-field.ts';

/**
 * Returns the search line, with the caret while it is being typed.
 *
 * @param matchText the number of matches in words
 */
export function searchRuns({ line, isOpen }: SearchField, matchText: string, columns: number): readonly Run[] {
  const count = line.text === '' ? [] : [run(` ${matchText} `, 'strong')];
  if (isOpen) {
    const fieldWidth = columns - 3 - runsWidth(count);
    return spread([run(' /', 'strong'), ...fieldRuns(line, fieldWidth, true)], count, columns);
  }
  const left = [
    run(' search: ', 'faint'),
    run(safeLine(line.text)),
    run(`  (${keyOf('search')} edit, ${keyOf('match-next')} next match, ${keyOf('search-clear')} clears)`, 'faint'),
  ];
  return spread(left, count, columns);
}
