import { safeLine } from '../../shared/domain/terminal-text.ts';
import { keyOf } from '../keys.ts';
import type { SearchField } from '../store/search-field.ts';
import { run, type Run } from '../theme.ts';
import { fieldRuns } from './text-field.ts';

/** What is looked for, with the caret while it is typed. */
export function searchRuns({ line, isOpen }: SearchField, columns: number): readonly Run[] {
  if (isOpen) return [run(' /', 'strong'), ...fieldRuns(line, columns - 3, true)];
  return [
    run(' search: ', 'faint'),
    run(safeLine(line.text)),
    run(`  (${keyOf('search')} edit, ${keyOf('search-clear')} clears)`, 'faint'),
  ];
}
