import { matchesSearch, parseSearch, usesTime } from '../../shared/domain/search.ts';
import type { KeyAction } from '../keys.ts';
import type { ConsoleStore } from './console-store.ts';
import { editLine, lineOf, type LineEdit, type LineEditor } from './line-editor.ts';

/** Earlier filters that are remembered. */
const HISTORY_MAX = 100;

export function openPrompt(store: ConsoleStore): void {
  const { filter } = store.state;
  // While the first letter is on its way.
  store.events.prepareFilter();
  store.update({ prompt: { line: lineOf(filter.text), historyAt: filter.history.length } });
}

/** The list follows while somebody types. */
export function typeInPrompt(store: ConsoleStore, edit: LineEdit | undefined): void {
  const { prompt } = store.state;
  if (prompt !== undefined && edit !== undefined) show(store, editLine(prompt.line, edit), prompt.historyAt);
}

export function pressPrompt(store: ConsoleStore, action: KeyAction): void {
  const { prompt, filter } = store.state;
  if (prompt === undefined) return;
  switch (action) {
    case 'prompt-accept':
      // A line that is no filter stays open, with its error, instead of being silently ignored.
      if (filter.problem !== undefined) return;
      return store.update({
        prompt: undefined,
        filter: { ...filter, history: remembered(filter.history, filter.text) },
      });
    case 'prompt-cancel':
      store.update({ prompt: undefined });
      return applyFilter(store, '');
    case 'prompt-older':
      return fromHistory(store, Math.max(0, prompt.historyAt - 1));
    case 'prompt-newer':
      return fromHistory(store, Math.min(filter.history.length, prompt.historyAt + 1));
    default:
      return undefined;
  }
}

/** Puts a filter into effect, or says what is wrong with it and leaves the present one. Empty: everything. */
export function applyFilter(store: ConsoleStore, text: string): void {
  const { history } = store.state.filter;
  const wanted = text.trim();
  if (wanted === '') {
    store.events.setFilter(undefined);
    return store.update({ filter: { text: '', problem: undefined, history } });
  }
  const search = parseSearch(text);
  if (search.kind === 'problem') {
    const { message, position } = search;
    return store.update({ filter: { ...store.state.filter, problem: { message, position } } });
  }
  store.events.setFilter({
    matches: (row, nowSeconds) => matchesSearch(search, row, nowSeconds),
    usesTime: usesTime(search),
  });
  store.update({ filter: { text: wanted, problem: undefined, history } });
}

function show(store: ConsoleStore, line: LineEditor, historyAt: number): void {
  const isChanged = line.text !== store.state.prompt?.line.text;
  store.update({ prompt: { line, historyAt } });
  if (isChanged) applyFilter(store, line.text);
}

function fromHistory(store: ConsoleStore, at: number): void {
  show(store, lineOf(store.state.filter.history[at] ?? ''), at);
}

function remembered(history: readonly string[], text: string): readonly string[] {
  if (text === '') return history;
  return [...history.filter((earlier) => earlier !== text), text].slice(-HISTORY_MAX);
}
