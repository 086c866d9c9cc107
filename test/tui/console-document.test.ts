import '../../tui/actions/all.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { CONTEXT_TITLES } from '../../tui/screens/help/lines.ts';
import type { KeyContext } from '../../tui/state/key-context.ts';
import { allBindings, keyLabel } from '../../tui/state/keys.ts';
import { VIEWS } from '../../tui/state/view-names.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DOCUMENT = join(ROOT, 'docs', 'console.md');

const EVERY_VIEW = VIEWS.map(({ name }) => name);
const PLACES: readonly (readonly [title: string, contexts: readonly KeyContext[]])[] = [
  ['Global', EVERY_VIEW],
  ['Lists', EVERY_VIEW.filter((name) => name !== 'overview' && name !== 'upgrade')],
  ...(Object.entries(CONTEXT_TITLES) as [KeyContext, string][]).map(([context, title]) => [title, [context]] as const),
];

/** A marker of the document, with the text up to the closing marker if there is one. */
const BLOCK = /<!-- (keys|screen [\w-]+) -->(?:[^]*?<!-- end -->)?/g;

test('the document of the console shows all screens and keys (update it with `vitest -u`)', async () => {
  const text = await readFile(DOCUMENT, 'utf8');
  const blocks = await Promise.all([...text.matchAll(BLOCK)].map(async ([, about = '']) => blockOf(about)));
  const updated = text.replaceAll(BLOCK, () => blocks.shift() ?? '');
  const style = await resolveConfig(DOCUMENT);
  await expect(await format(updated, { ...style, filepath: DOCUMENT })).toMatchFileSnapshot(DOCUMENT);
});

test('every view has a section and a picture in the document of the console', async () => {
  const text = await readFile(DOCUMENT, 'utf8');
  for (const { number, title, name } of VIEWS) {
    expect(text).toContain(`\n### ${number === undefined ? title : `${String(number)} ${title}`}\n`);
    expect(text).toContain(`<!-- screen ${name}-80x24 -->`);
  }
});

/** Maximum width of a line of prose in the documentation. */
const LINE_WIDTH_MAX = 120;

/** Returns the item of a list in lines that are not too wide. */
function wrapItem(item: string): string {
  if (item.length <= LINE_WIDTH_MAX) return item;
  const end = item.lastIndexOf(' ', LINE_WIDTH_MAX);
  return `${item.slice(0, end)}\n${wrapItem(`  ${item.slice(end + 1)}`)}`;
}

async function blockOf(about: string): Promise<string> {
  const content = about === 'keys' ? keyList() : await pictureOf(about.replace('screen ', ''));
  return `<!-- ${about} -->\n\n${content}\n\n<!-- end -->`;
}

async function pictureOf(name: string): Promise<string> {
  const picture = await readFile(join(ROOT, 'test', 'golden', 'screens', `${name}.txt`), 'utf8');
  return `\`\`\`text\n${picture}\`\`\``;
}

/** Returns the list of all key bindings, each under the first context in which it is in effect. */
function keyList(): string {
  const left = new Map(allBindings());
  const sections = PLACES.flatMap(([title, contexts]) => {
    const group = [...left].filter(([, binding]) => contexts.every((context) => binding.in.includes(context)));
    for (const [action] of group) left.delete(action);
    const lines = group.map(([action, { keys, help }]) => {
      const labels = keys.map((key) => `\`${keyLabel(key)}\``);
      return wrapItem(`- ${labels.join(', ')}: ${help} (\`${action}\`)`);
    });
    return lines.length === 0 ? [] : [`### ${title}\n\n${lines.join('\n')}`];
  });
  expect([...left.keys()]).toEqual([]);
  return sections.join('\n\n');
}
