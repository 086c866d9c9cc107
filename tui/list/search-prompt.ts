import { readSearch } from '../../shared/domain/search-language.ts';
import type { SearchProblem } from '../../shared/domain/search-syntax.ts';
import type { FilterState } from '../state/list-state.ts';
import { editLine, selectedLine, type LineEdit } from '../text/line-editor.ts';
import { newestLine, stepInHistory } from '../text/line-history.ts';
import { chooseCompletion, type CompletionCandidates } from '../text/complete-line.ts';
import type { FilterPrompt } from '../state/console-state.ts';
import type { Screen } from '../state/ports.ts';
import type { ListOfView } from './list-of-view.ts';

/** Maximum number of filters in the history. */
const HISTORY_MAX = 100;

export function openPrompt(store: Screen & ListOfView): void {
  const { filter } = store.list;
  // Starts to build the texts that the filter searches, so that they are ready when the user types the first letter.
  store.rows.prepareFilter();
  store.update({ prompt: newestLine(selectedLine(filter.text), filter.history) });
}

/** Edits the text in the prompt, and applies it as the filter while the user types. */
export function typeInPrompt(store: Screen & ListOfView, edit: LineEdit | undefined): void {
  const { prompt } = store.state;
  if (prompt === undefined || edit === undefined) return;
  showPrompt(store, { ...prompt, line: editLine(prompt.line, edit), chosen: undefined });
}

/**
 * Applies a filter. If it is not valid, shows the problem and leaves the current filter in effect. An empty text shows
 * all rows.
 */
export function applyFilter(store: ListOfView, text: string): void {
  const { filter } = store.list;
  const trimmed = text.trim();
  store.window.expectOrder();
  const problem = setFilter(store, trimmed === '' ? '' : text);
  const next: FilterState =
    problem === undefined
      ? { ...filter, text: trimmed, problem: undefined }
      : { ...filter, problem: { message: problem.message, position: problem.position } };
  store.updateList({ filter: next });
}

/** Applies a filter, and adds the filter that is then in effect to the history. */
export function keepFilter(store: ListOfView, text: string): void {
  applyFilter(store, text);
  const { filter } = store.list;
  store.updateList({ filter: { ...filter, history: rememberText(filter.history, filter.text) } });
}

/**
 * Sets the filter of the rows.
 *
 * @returns the problem with the text, in which case the filter is unchanged; `undefined` on success
 */
function setFilter({ table, rows }: Pick<ListOfView, 'table' | 'rows'>, text: string): SearchProblem | undefined {
  if (table === undefined) return undefined;
  const filter = text === '' ? undefined : readSearch(table.search, text);
  if (filter?.kind === 'problem') return filter;
  rows.setFilter(filter);
  return undefined;
}

/** Replaces the word before the caret by the next (1) or previous (-1) completion, and applies the filter. */
export function completeInPrompt(store: Screen & ListOfView, candidates: CompletionCandidates, by: 1 | -1): void {
  const { prompt } = store.state;
  if (prompt === undefined) return;
  const next = chooseCompletion(prompt.line, candidates, prompt.chosen, by);
  if (next !== undefined) showPrompt(store, { ...prompt, ...next });
}

function showPrompt(store: Screen & ListOfView, prompt: FilterPrompt): void {
  const { text } = prompt.line;
  const isChanged = text !== store.state.prompt?.line.text;
  store.update({ prompt });
  if (isChanged) applyFilter(store, text);
}

/** Puts the previous or next filter of the history into the prompt and applies it. */
export function fromHistory(store: Screen & ListOfView, by: 1 | -1): void {
  const { prompt } = store.state;
  if (prompt !== undefined) showPrompt(store, stepInHistory(prompt, store.list.filter.history, by));
}

function rememberText(history: readonly string[], text: string): readonly string[] {
  if (text === '') return history;
  return [...history.filter((earlier) => earlier !== text), text].slice(-HISTORY_MAX);
}
