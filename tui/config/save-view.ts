import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { isMap } from 'yaml';
import { MonError } from '../../shared/errors.ts';
import type { SavedView } from '../store/saved-views.ts';
import { readConfigText } from './config-file.ts';
import { openDocument, parseConfig } from './parse-config.ts';

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
    throw new MonError('conflict', 'the configuration file has a mistake by now: mend it first', { cause: error });
  }
  const document = openDocument(text);
  if (view === undefined) document.deleteIn(['views', name]);
  else {
    // `views:` with nothing behind it, or nothing at all but comments.
    if (!isMap(document.get('views'))) document.set('views', document.createNode({}));
    document.setIn(['views', name], document.createNode(writtenView(view)));
  }
  return document.toString({ lineWidth: 120 });
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

async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Many keep such files elsewhere, under version control, with a link to them here.
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${randomUUID()}.tmp`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
