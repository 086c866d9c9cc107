import '../../tui/actions/all.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { keyMapLines, type HelpLine } from '../../tui/screens/help/lines.ts';
import { VIEWS } from '../../tui/state/view-names.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DOCUMENT = join(ROOT, 'docs', 'console.md');

/** A marker and, up to the closing one, what was put there last. */
const BLOCK = /<!-- (keys|screen [\w-]+) -->(?:[^]*?<!-- end -->)?/g;

test('the document shows the screens and keys that there are; `vitest -u` brings it up to date', async () => {
  const text = await readFile(DOCUMENT, 'utf8');
  const blocks = await Promise.all([...text.matchAll(BLOCK)].map(async ([, about = '']) => blockOf(about)));
  const updated = text.replaceAll(BLOCK, () => blocks.shift() ?? '');
  const style = await resolveConfig(DOCUMENT);
  await expect(await format(updated, { ...style, filepath: DOCUMENT })).toMatchFileSnapshot(DOCUMENT);
});

test('every view has its part and its picture', async () => {
  const text = await readFile(DOCUMENT, 'utf8');
  for (const { number, title, name } of VIEWS) {
    expect(text).toContain(`\n### ${number === undefined ? title : `${String(number)} ${title}`}\n`);
    expect(text).toContain(`<!-- screen ${name}-80x24 -->`);
  }
});

async function blockOf(about: string): Promise<string> {
  const content = about === 'keys' ? keyList() : await pictureOf(about.replace('screen ', ''));
  return `<!-- ${about} -->\n\n${content}\n\n<!-- end -->`;
}

async function pictureOf(name: string): Promise<string> {
  const picture = await readFile(join(ROOT, 'test', 'golden', 'screens', `${name}.txt`), 'utf8');
  return `\`\`\`text\n${picture}\`\`\``;
}

function keyList(): string {
  return keyMapLines().map(lineOf).join('\n');
}

function lineOf(line: HelpLine): string {
  switch (line.kind) {
    case 'blank':
      return '';
    case 'heading':
      return `### ${line.text}\n`;
    case 'binding': {
      const keys = line.keys.split(' ').map((key) => `\`${key}\``);
      return `- ${keys.join(', ')}: ${line.text} (\`${line.action}\`)`;
    }
  }
}
