import { parseSearch, type SearchProblem } from '../../../shared/domain/search.ts';
import { parseTableFilter } from './table-filter.ts';
import { tableOf } from './tables.ts';
import { viewTitle, type ViewName } from './view-names.ts';

/** Why a text is no filter of this view; `undefined`: it is one. */
export function filterProblem(view: ViewName, text: string): SearchProblem | undefined {
  if (text.trim() === '') return undefined;
  const table = tableOf(view);
  if (table === undefined && view !== 'events') {
    return { kind: 'problem', message: `${viewTitle(view)} is no list: it has no filter`, position: 0 };
  }
  const read = table === undefined ? parseSearch(text) : parseTableFilter(table, text);
  return typeof read === 'function' || read.kind === 'search' ? undefined : read;
}
