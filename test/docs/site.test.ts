import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Site } from '../../scripts/site/build-site.ts';
import { brokenLinks } from '../../scripts/site/broken-links.ts';
import { excerptOf } from '../../scripts/site/browser/excerpt.ts';
import { indexedWords, searchedWords } from '../../scripts/site/browser/words.ts';
import { INDEX, navigationOf } from '../../scripts/site/navigation.ts';
import { searchSections } from '../../scripts/site/search-sections.ts';
import { relativeLink, sitePath } from '../../scripts/site/site-paths.ts';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';

afterAll(stop);

describe('the index page of the documentation', () => {
  const listed = navigationOf(repositoryText(INDEX)).flatMap(({ pages }) => pages.map(({ source }) => source));

  test('the index page lists every page of docs once', () => {
    const pages = [...repositoryFiles('docs/**/*.md').keys()].filter((page) => page !== INDEX);
    expect(listed.filter((page) => page.startsWith('docs/')).toSorted()).toEqual(pages.toSorted());
  });

  test('the README links to the index', () => {
    expect(repositoryText('README.md')).toContain(`](${INDEX})`);
  });
});

describe('the documentation site', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(REPOSITORY, 'build/site-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the documentation site is built without broken links and loads nothing from other hosts', async () => {
    const pages = await new Site(relative(REPOSITORY, folder)).write();
    expect(pages).toBeGreaterThan(listedPages());
    const index = await readFile(join(folder, 'index.html'), 'utf8');
    const loaded = Array.from(index.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]*)"/g), ([, from]) => from);
    expect(loaded).toEqual(['data:,', 'site.css', 'site.js']);
    expect(await readFile(join(folder, 'search-sections.js'), 'utf8')).toMatch(/^monSearch\.take\(\[.*"silenced/s);
  });
});

function listedPages(): number {
  return navigationOf(repositoryText(INDEX)).flatMap(({ pages }) => pages).length;
}

test.each([
  { source: 'docs/tls.md', path: 'tls.html' },
  { source: 'docs/spec/console.md', path: 'spec/console.html' },
  { source: 'docs/spec', path: 'index.html' },
  { source: 'CHANGELOG.md', path: 'project/changelog.html' },
  { source: 'examples/backend.yml', path: 'files/examples/backend.yml.html' },
])('the file $source is published on the documentation site at $path', ({ source, path }) => {
  expect(sitePath(source)).toBe(path);
});

test('a link between two pages of the documentation site is relative', () => {
  expect(relativeLink('spec/console.html', 'tls.html')).toBe('../tls.html');
});

test('the link check reports a link to a missing page or a missing anchor', () => {
  const content =
    '<a href="b.html#here">b</a> <a href="b.html#there">b</a> <a href="c.html">c</a> <a href="https://x">x</a>';
  const pages = [
    { path: 'a.html', content },
    { path: 'b.html', content: '<h2 id="here">Here</h2>' },
  ];
  expect(brokenLinks(pages)).toEqual(['a.html: b.html#there', 'a.html: c.html']);
});

test('the site search indexes sections by their visible text', () => {
  const html =
    '<h1 id="tls">TLS</h1><p>It is <em>safe</em>.</p><h2 id="keys">Keys</h2><pre><code>a &lt; b</code></pre>';
  expect(searchSections('tls.html', html)).toEqual([
    { id: 'tls.html', page: 'TLS', title: 'TLS', text: 'It is safe .' },
    { id: 'tls.html#keys', page: 'TLS', title: 'Keys', text: 'a < b' },
  ]);
});

test('an excerpt of a search result shows the found words with the text around them', () => {
  const text = `${'before '.repeat(20)}a silence ends ${'after '.repeat(40)}`;
  const pieces = excerptOf(text, ['silence']);
  expect(pieces.filter(({ isWord }) => isWord)).toEqual([{ text: 'silence', isWord: true }]);
  expect(pieces.map((piece) => piece.text).join('')).toMatch(/^… before .* a silence ends after .* …$/);
  expect(excerptOf('short', [])).toEqual([{ text: 'short', isWord: false }]);
});

test.each([
  { text: 'use --dry-run now', indexed: ['use', 'dry', 'run', 'now', 'dry-run'], searched: ['dry-run', 'use', 'now'] },
  { text: 'entity_limit: 5', indexed: ['entity', 'limit', '5', 'entity_limit'], searched: ['entity_limit', '5'] },
])(
  'the site search finds the text "$text" also by a full name with hyphens or underscores',
  ({ text, indexed, searched }) => {
    expect([indexedWords(text), searchedWords(text)]).toEqual([indexed, searched]);
  },
);
