import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';

const PAGES = repositoryFiles('*.md', 'docs/**/*.md');

/** Links to other files, and to places on the same page; not to other sites. */
function linksIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link).filter((link) => !/^\w+:/.test(link));
}

/** What a link to a heading is made of: its letters and digits, with hyphens for what is between them. */
function anchorsIn(text: string): ReadonlySet<string> {
  const titles = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = '']) => title);
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test.each([...PAGES])('the links of %s lead somewhere', (name, text) => {
  const lost = linksIn(text).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? name : join(dirname(name), path);
    if (!existsSync(join(REPOSITORY, target))) return true;
    return anchor !== undefined && !anchorsIn(repositoryText(target)).has(anchor);
  });
  expect(lost).toEqual([]);
});

test('every page of docs is found from the README', () => {
  const readme = new Set(linksIn(PAGES.get('README.md') ?? '').map((link) => link.split('#')[0]));
  const pages = [...PAGES.keys()].filter((name) => /^docs\/[^/]+\.md$/.test(name));
  expect(pages.filter((page) => !readme.has(page))).toEqual([]);
});
