import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOnPage } from '../../scripts/site/anchors.ts';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';

const PAGES = repositoryFiles('*.md', '.github/*.md', 'docs/**/*.md');

/** Returns the links to other files and within the page, but not the links to other sites. */
function findLinks(text: string): readonly string[] {
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link).filter((link) => !/^\w+:/.test(link));
}

function anchorsIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = '']) => title).map(anchorsOnPage()));
}

test.each([...PAGES])('the links of the page %s have existing targets', (name, text) => {
  const lost = findLinks(text).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? name : join(dirname(name), path);
    if (!existsSync(join(REPOSITORY, target))) return true;
    return anchor !== undefined && !anchorsIn(repositoryText(target)).has(anchor);
  });
  expect(lost).toEqual([]);
});

test.each([...PAGES])('the links of the page %s are labeled with titles and not with file names', (_name, text) => {
  expect(text.match(/\[`?[^\]\s]+\.md`?\]\(/g) ?? []).toEqual([]);
});
