import type { KeyAction } from '../keys.ts';
import type { Layer } from './console-state.ts';
import type { ConsoleStore } from './console-store.ts';
import { EMPTY_LINE, editLine, type LineEdit, type LineEditor } from './line-editor.ts';

/** What is looked for in the lines of a layer. */
export interface SearchField {
  readonly line: LineEditor;
  /** Whether it is being typed: then all keys go into it. */
  readonly isOpen: boolean;
}

export const NO_SEARCH: SearchField = { line: EMPTY_LINE, isOpen: false };

/** Whether a text holds every word that is looked for; letter case never counts. */
export function holdsWords(text: string, { line }: SearchField): boolean {
  const lower = text.toLowerCase();
  return line.text
    .toLowerCase()
    .split(' ')
    .every((word) => lower.includes(word));
}

export function pressSearch(store: ConsoleStore, action: KeyAction): void {
  const search = topSearch(store);
  if (search === undefined) return;
  if (action === 'search-keep') putSearch(store, { ...search, isOpen: false });
  if (action === 'search-clear') putSearch(store, NO_SEARCH);
}

export function typeInSearch(store: ConsoleStore, edit: LineEdit | undefined): void {
  const search = topSearch(store);
  if (search !== undefined && edit !== undefined) putSearch(store, { ...search, line: editLine(search.line, edit) });
}

/** @returns `undefined`: nothing is searched on the layer on top */
export function searchOf(layer: Layer | undefined): SearchField | undefined {
  return layer !== undefined && 'search' in layer && 'isOpen' in layer.search ? layer.search : undefined;
}

function topSearch(store: ConsoleStore): SearchField | undefined {
  return searchOf(store.state.layers.at(-1));
}

function putSearch(store: ConsoleStore, search: SearchField): void {
  const layer = store.state.layers.at(-1);
  // What was under the cursor may not be found any more: it goes to the first line that is.
  if (layer?.kind === 'help')
    store.update({ layers: [...store.state.layers.slice(0, -1), { ...layer, search, at: undefined }] });
  if (layer?.kind === 'log')
    store.update({ layers: [...store.state.layers.slice(0, -1), { ...layer, search, at: undefined }] });
}
