import { statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Site } from '../../scripts/site/build-site.ts';
import { brokenLinks } from '../../scripts/site/broken-links.ts';
import { excerptOf } from '../../scripts/site/browser/excerpt.ts';
import { SearchIndex, type IndexedSection } from '../../scripts/site/browser/search-index.ts';
import { indexedWords, searchedWords, wordStem } from '../../scripts/site/browser/words.ts';
import { INDEX_PAGE, navigationOf, pagesOf } from '../../scripts/site/navigation.ts';
import { pictureSize } from '../../scripts/site/pictures.ts';
import { searchSections } from '../../scripts/site/search-sections.ts';
import { relativeLink, sitePath } from '../../scripts/site/site-paths.ts';
import { VERSION } from '../../shared/schemas/version.ts';
import { REPOSITORY, repositoryFiles, repositoryText } from '../support/repository.ts';
import { SEARCHED_WORDS } from './searched-words.ts';

/** Maximum number of the searched words without their page among the first three sections. */
const MISSED_WORDS_MAX = 5;

afterAll(stop);

describe('the index page of the documentation', () => {
  test('the index page lists every page of docs once', () => {
    const pages = [...repositoryFiles('docs/**/*.md').keys()].filter((page) => page !== INDEX_PAGE);
    expect(
      listedPages()
        .filter((page) => page.startsWith('docs/'))
        .toSorted(),
    ).toEqual(pages.toSorted());
  });

  test('the README links to the index', () => {
    expect(repositoryText('README.md')).toContain(`](${INDEX_PAGE})`);
  });
});

describe('the documentation site', () => {
  let folder = '';
  let pages = 0;
  const search = new SearchIndex();

  beforeAll(async () => {
    folder = await mkdtemp(join(REPOSITORY, 'build/site-'));
    pages = await new Site(relative(REPOSITORY, folder)).write();
    search.add(await sectionsIn('search-sections.js'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Returns the sections that a file of the site passes to the search. */
  async function sectionsIn(file: string): Promise<readonly IndexedSection[]> {
    const [, json = ''] = /^monSearch\.take\((.*)\);\n$/s.exec(await readFile(join(folder, file), 'utf8')) ?? [];
    return JSON.parse(json) as readonly IndexedSection[];
  }

  test('the documentation site is built without broken links and loads nothing from other hosts', async () => {
    expect(pages).toBeGreaterThan(listedPages().length);
    const index = await readFile(join(folder, 'index.html'), 'utf8');
    const loaded = Array.from(index.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]*)"/g), ([, from]) => from);
    expect(loaded).toEqual(['data:,', 'site.css', 'site.js']);
  });

  test('the documentation site shows the version that it describes', async () => {
    expect(await readFile(join(folder, 'tls.html'), 'utf8')).toContain(`>${VERSION}</a>`);
  });

  test('the documentation site contains the pictures of its pages, with a text and a size', async () => {
    const readme = await readFile(join(folder, 'project/readme.html'), 'utf8');
    const [picture = '', source = ''] =
      /<img src="\.\.\/([^"]+)" alt="[^"]+" width="960" height="576"/.exec(readme) ?? [];
    expect(picture).not.toBe('');
    expect(pictureSize(join(folder, source))).toEqual({ width: 960, height: 576 });
  });

  test('the documentation site takes less than 30 MB', async () => {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000_000);
  });

  test('the site search finds the right page for the words of operators among the first three', () => {
    const missed = [...SEARCHED_WORDS].flatMap(([word, right]) => {
      const first = search
        .search(word, false)
        .hits.slice(0, 3)
        .map(({ section }) => section.id.replace(/\.html.*/, ''));
      return first.some((page) => right.includes(page)) ? [] : [`${word}: ${first.join(', ')}`];
    });
    expect(missed.length <= MISSED_WORDS_MAX ? [] : missed).toEqual([]);
  });

  test('the site search finds specifications only when they are wanted', async () => {
    const specifications = new SearchIndex();
    specifications.add(await sectionsIn('search-specifications.js'));
    const [without, withThem] = [false, true].map((isOn) => specifications.search('flap detection formula', isOn).hits);
    expect(without).toEqual([]);
    expect(withThem).not.toEqual([]);
  });
});

function listedPages(): readonly string[] {
  return pagesOf(navigationOf(repositoryText(INDEX_PAGE)));
}

test('every page that the site search must find exists', () => {
  const pages = new Set([...SEARCHED_WORDS.values()].flat().map((page) => `docs/${page}.md`));
  expect([...pages].filter((page) => !listedPages().includes(page))).toEqual([]);
});

describe('the search index of the site', () => {
  const SECTIONS = [
    { id: 'how-to/silence.html', page: 'Silence a host', title: 'Silence a host', text: 'Silences end by themselves.' },
    { id: 'handlers.html', page: 'Handlers', title: 'Handlers', text: 'A handler notifies somebody, or a socket.' },
    { id: 'handlers.html#slack', page: 'Handlers', title: 'Slack', text: 'Post to a channel.' },
    { id: 'api.html#events', page: 'API', title: 'GET /events', text: 'The events.' },
    { id: 'api.html#incidents', page: 'API', title: 'GET /incidents', text: 'As /events .' },
  ];

  function sectionsFor(query: string): readonly string[] {
    const search = new SearchIndex();
    search.add(SECTIONS);
    return search.search(query, false).hits.map(({ section }) => section.id);
  }

  test.each([
    { query: 'downtime', finds: ['how-to/silence.html'], why: 'a synonym' },
    { query: 'silenced hosts', finds: ['how-to/silence.html'], why: 'other forms of the words' },
    { query: 'handler', finds: ['handlers.html', 'handlers.html#slack'], why: 'the words themselves' },
    { query: 'sil', finds: ['how-to/silence.html'], why: 'the beginning of a word' },
    { query: 'hadlers', finds: ['handlers.html', 'handlers.html#slack'], why: 'a similar word' },
    { query: 'slack terraform', finds: ['handlers.html#slack'], why: 'a part of the words' },
    { query: 'docker', finds: [], why: 'no similar word' },
    {
      query: 'events',
      finds: ['api.html#events', 'api.html#incidents'],
      why: 'the word, with other names of routes last',
    },
  ])('the site search for "$query" finds sections by $why', ({ query, finds }) => {
    expect(sectionsFor(query)).toEqual(finds);
  });

  test('the site search says which synonyms it has added to a query, and that a word is missing', () => {
    const search = new SearchIndex();
    search.add(SECTIONS);
    const { meanings, isPartial } = search.search('mute terraform', false);
    expect([meanings, isPartial]).toEqual([expect.arrayContaining(['silence']), true]);
  });
});

test.each([
  ['silence', 'silences', 'silenced', 'silencing'],
  ['flap', 'flaps', 'flapped', 'flapping'],
  ['acknowledge', 'acknowledged', 'acknowledgement'],
  ['escalate', 'escalation'],
  ['dependency', 'dependencies'],
  ['size', 'sizing'],
])('the site search treats all forms of the word "%s" alike', (word, ...forms) => {
  expect(new Set([word, ...forms].map(wordStem)).size).toBe(1);
});

test('the navigation of the site groups the pages of a chapter by their task', () => {
  const index = '# Index\n\n## Guides\n\n- [A](a.md)\n\n### On call\n\n- [B](b.md): text\n\n### Empty\n';
  expect(navigationOf(index)).toEqual([
    {
      title: 'Guides',
      groups: [
        { title: '', pages: [{ title: 'A', source: 'docs/a.md' }] },
        { title: 'On call', pages: [{ title: 'B', source: 'docs/b.md' }] },
      ],
    },
  ]);
});

test.each([
  { source: 'docs/tls.md', path: 'tls.html' },
  { source: 'docs/spec/console.md', path: 'spec/console.html' },
  { source: 'docs/spec', path: 'index.html' },
  { source: 'docs/images/detail-80x24.png', path: 'images/detail-80x24.png' },
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

test('the site search leaves out the screens of the console, whose words are examples', () => {
  const html = `<h4 id="list">The list</h4><p>Rows.</p><pre><code>web-1 timeo…\n${'─'.repeat(80)}</code></pre>`;
  expect(searchSections('console.html', html)).toEqual([
    { id: 'console.html#list', page: 'The list', title: 'The list', text: 'Rows.' },
  ]);
});

test('an excerpt of a search result shows the found words with the text around them', () => {
  const text = `${'before '.repeat(20)}unsilenced silences end ${'after '.repeat(40)}`;
  const pieces = excerptOf(text, ['silenc']);
  expect(pieces.filter(({ isWord }) => isWord)).toEqual([{ text: 'silences', isWord: true }]);
  expect(pieces.map((piece) => piece.text).join('')).toMatch(/^… before .* unsilenced silences end after .* …$/);
  expect(excerptOf('short', [])).toEqual([{ text: 'short', isWord: false }]);
});

test.each([
  { text: 'use --dry-run now', indexed: ['use', 'dry', 'run', 'now', 'dry-run'], searched: ['use', 'dry-run', 'now'] },
  { text: 'entity_limit: 5', indexed: ['entity', 'limit', '5', 'entity_limit'], searched: ['entity_limit', '5'] },
])(
  'the site search finds the text "$text" also by a full name with hyphens or underscores',
  ({ text, indexed, searched }) => {
    expect([indexedWords(text), searchedWords(text)]).toEqual([indexed, searched]);
  },
);
