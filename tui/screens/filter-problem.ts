import { readSearch } from '../../shared/domain/search-language.ts';
import type { SearchProblem } from '../../shared/domain/search-syntax.ts';
import { tableOf } from './tables.ts';
import { viewTitle, type ViewName } from '../state/view-names.ts';

/** Returns the problem if a text is not a valid filter of this view; `undefined` if it is valid. */
export function filterProblem(view: ViewName, text: string): SearchProblem | undefined {
  if (text.trim() === '') return undefined;
  const table = tableOf(view);
  if (table === undefined) {
    return { kind: 'problem', message: `${viewTitle(view)} is not a list and cannot be filtered`, position: 0 };
  }
  const read = readSearch(table.search, text);
  return read.kind === 'problem' ? read : undefined;
}
