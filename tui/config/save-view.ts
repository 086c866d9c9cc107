import { Document, isMap, isNode, isScalar } from 'yaml';
import { MonError } from '../../shared/errors.ts';
import { readConfigText } from './config-file.ts';
import { openDocument, parseConfig } from './parse-config.ts';
import { replaceFile } from './replace-file.ts';
import type { SavedView } from '../state/saved-view.ts';

const LINE_WIDTH = 120;

/**
 * Writes a saved view into the configuration file, or removes it. Comments and everything else in the file are
 * preserved. The file is replaced atomically.
 *
 * @param view the view; `undefined` removes the view from the file
 * @throws MonError `conflict` when the file is invalid, because its content would be lost
 */
export async function saveView(path: string, name: string, view: SavedView | undefined): Promise<void> {
  const text = (await readConfigText(path)) ?? '';
  const changed = replaceView(text, path, name, view);
  // The next start of the console must be able to read the result, so it is checked before it is written.
  parseConfig(changed, path);
  await replaceFile(path, changed);
}

function replaceView(text: string, path: string, name: string, view: SavedView | undefined): string {
  try {
    parseConfig(text, path);
  } catch (error) {
    throw new MonError('conflict', 'the configuration file has become invalid: fix it first', { cause: error });
  }
  const document = openDocument(text);
  const range = viewsRange(text, document.contents);
  if (view === undefined) document.deleteIn(['views', name]);
  else {
    // The setting `views:` can be without a value, or the file can consist of comments only.
    if (!isMap(document.get('views'))) document.set('views', document.createNode({}));
    document.setIn(['views', name], document.createNode(writtenView(view)));
  }
  if (range === undefined) return document.toString({ lineWidth: LINE_WIDTH });
  const views = new Document({});
  views.set('views', document.get('views'));
  const written = views.toString({ lineWidth: LINE_WIDTH });
  const [start, end] = range;
  const before = text.slice(0, start);
  // The range of a YAML block map includes its last line end; the range of any other value ends within its line.
  const isAtLineEnd = end === text.length || text[end - 1] === '\n';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return before + gap + (isAtLineEnd ? written : written.trimEnd()) + text.slice(end);
}

/**
 * Returns the range of the `views` setting in the text. Only its lines are replaced, so the user's layout of all other
 * lines is preserved. Returns `undefined` if the layout does not allow it, such as `{ keys: {} }`.
 */
function viewsRange(text: string, contents: unknown): readonly [start: number, end: number] | undefined {
  if (contents === null) return [text.length, text.length];
  if (!isMap(contents) || contents.flow === true) return undefined;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'views');
  if (pair === undefined) return [text.length, text.length];
  const { key, value } = pair;
  if (!isScalar(key) || !isNode(value) || !key.range || !value.range) return undefined;
  // If `views` has no map as its value, the range ends after the colon.
  const end = isMap(value) ? value.range[1] : text.indexOf(':', key.range[1]) + 1;
  return [key.range[0], end];
}

/** Returns a view as it is written in the configuration file, without attributes that are not set. */
function writtenView({ view, filter, sort, fold, columns }: SavedView): Readonly<Record<string, unknown>> {
  return {
    view,
    ...(filter !== '' && { filter }),
    ...(sort && { sort: `${sort.reversed ? '-' : ''}${sort.column}` }),
    ...(fold && { fold }),
    ...(columns && { columns: [...columns] }),
  };
}
