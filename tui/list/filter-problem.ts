import { EVENT_SEARCH, type SearchProblem } from '../../shared/domain/search.ts';
import { readSearch } from '../../shared/domain/search-language.ts';
import { tableOf } from './tables.ts';
import { viewTitle, type ViewName } from '../state/view-names.ts';

/** Why a text is no filter of this view; `undefined`: it is one. */
export function filterProblem(view: ViewName, text: string): SearchProblem | undefined {
  if (text.trim() === '') return undefined;
  const table = tableOf(view);
  if (table === undefined && view !== 'events') {
    return { kind: 'problem', message: `${viewTitle(view)} is no list: it has no filter`, position: 0 };
  }
  const read = table === undefined ? readSearch(EVENT_SEARCH, text) : readSearch(table.search, text);
  return read.kind === 'problem' ? read : undefined;
}
