import { Document, isMap, isNode, isScalar } from 'yaml';
import { MonError } from '../../shared/errors.ts';
import { readConfigText } from './config-file.ts';
import { openDocument, parseConfig } from './parse-config.ts';
import { replaceFile } from './replace-file.ts';
import type { SavedView } from '../state/saved-view.ts';

const LINE_WIDTH = 120;

/**
 * Writes a view into the configuration file, or takes it out; comments and everything else in it stay. The file is
 * replaced as a whole, so that nobody ever sees half of it.
 *
 * @param view `undefined`: the view is deleted
 * @throws MonError `conflict` when the file cannot be read as it is now: it would be lost
 */
export async function saveView(path: string, name: string, view: SavedView | undefined): Promise<void> {
  const text = (await readConfigText(path)) ?? '';
  const changed = withView(text, path, name, view);
  // What is written must be readable at the next start, whatever was in the file.
  parseConfig(changed, path);
  await replaceFile(path, changed);
}

function withView(text: string, path: string, name: string, view: SavedView | undefined): string {
  try {
    parseConfig(text, path);
  } catch (error) {
    throw new MonError('conflict', 'the configuration file has become invalid: fix it first', { cause: error });
  }
  const document = openDocument(text);
  const place = placeOfViews(text, document.contents);
  if (view === undefined) document.deleteIn(['views', name]);
  else {
    // `views:` with nothing behind it, or nothing at all but comments.
    if (!isMap(document.get('views'))) document.set('views', document.createNode({}));
    document.setIn(['views', name], document.createNode(writtenView(view)));
  }
  if (place === undefined) return document.toString({ lineWidth: LINE_WIDTH });
  const views = new Document({});
  views.set('views', document.get('views'));
  const written = views.toString({ lineWidth: LINE_WIDTH });
  const [start, end] = place;
  const before = text.slice(0, start);
  // A block ends with its line, anything else before the end of its own.
  const isWholeLines = end === text.length || text[end - 1] === '\n';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return before + gap + (isWholeLines ? written : written.trimEnd()) + text.slice(end);
}

/**
 * From where to where the views are written, so that only these lines change: how people lay out the rest is theirs.
 * `undefined`: the file is written in a way in which lines cannot be put in, such as `{ keys: {} }`.
 */
function placeOfViews(text: string, contents: unknown): readonly [start: number, end: number] | undefined {
  if (contents === null) return [text.length, text.length];
  if (!isMap(contents) || contents.flow === true) return undefined;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'views');
  if (pair === undefined) return [text.length, text.length];
  const { key, value } = pair;
  if (!isScalar(key) || !isNode(value) || !key.range || !value.range) return undefined;
  // With nothing behind the name, it is the colon that ends it.
  const end = isMap(value) ? value.range[1] : text.indexOf(':', key.range[1]) + 1;
  return [key.range[0], end];
}

/** As it is written in the file: what is not set is left out. */
function writtenView({ view, filter, sort, columns }: SavedView): Readonly<Record<string, unknown>> {
  return {
    view,
    ...(filter !== '' && { filter }),
    ...(sort && { sort: `${sort.reversed ? '-' : ''}${sort.column}` }),
    ...(columns && { columns: [...columns] }),
  };
}
