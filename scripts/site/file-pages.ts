import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtmlText } from './html.ts';

/** Maximum size of a file in a linked directory whose content is shown, in bytes. */
const SHOWN_BYTES_MAX = 64 * 1024;

/** Returns the page that shows a linked file, or the files of a linked directory. */
export function filePage(repository: string, source: string): string {
  const path = join(repository, source);
  const files = statSync(path).isDirectory() ? filesOf(path) : [{ name: '', path }];
  const sections = files.map(({ name, path: file }, index) => {
    const heading = name === '' ? '' : `<h2 id="file-${String(index)}">${escapeHtmlText(name)}</h2>\n`;
    const isShown = name === '' || statSync(file).size <= SHOWN_BYTES_MAX;
    return isShown ? `${heading}<pre><code>${escapeHtmlText(readFileSync(file, 'utf8'))}</code></pre>` : heading;
  });
  return `<h1 id="file">${escapeHtmlText(source)}</h1>\n${sections.join('\n')}`;
}

function filesOf(folder: string): readonly { readonly name: string; readonly path: string }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ name: path.slice(folder.length + 1), path }));
}
