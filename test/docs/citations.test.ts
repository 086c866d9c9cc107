import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryFiles } from '../support/repository.ts';
import { citationsIn, otherSpellingsIn, placesOf, type Pages } from './citations.ts';

const PAGES: Pages = new Map(
  [...repositoryFiles('docs/spec/*.md', 'docs/architecture.md')].map(([path, text]) => [basename(path, '.md'), text]),
);

const SOURCES = repositoryFiles('{shared,daemon,tui,scripts,test}/**/*.{ts,tsx}');

/** Files that contain invalid citations on purpose, so they are not checked. */
const ABOUT_CITATIONS = new Set(['test/docs/citations.ts', 'test/docs/citations.test.ts']);

describe('the citations in the sources', () => {
  const places = new Map([...PAGES].map(([name, text]) => [name, placesOf(text)]));
  const sources = [...SOURCES].filter(([path]) => !ABOUT_CITATIONS.has(path));

  test('every section that a comment cites exists in docs/spec or docs/architecture.md', () => {
    const cited = sources.flatMap(([path, text]) =>
      citationsIn(text, PAGES).map(({ page, place }) => ({ path, page, place })),
    );
    expect(cited.length).toBeGreaterThan(300);
    expect(cited.filter(({ page, place }) => places.get(page)?.has(place) !== true)).toEqual([]);
  });

  test('every citation in a comment is spelled as CONTRIBUTING.md requires', () => {
    const wrong = sources.flatMap(([path, text]) => otherSpellingsIn(text, PAGES).map((found) => `${path}: ${found}`));
    expect(wrong).toEqual([]);
  });

  test('every page of the specification is cited in at least one comment', () => {
    const cited = new Set(sources.flatMap(([, text]) => citationsIn(text, PAGES).map(({ page }) => page)));
    expect([...PAGES.keys()].filter((page) => !cited.has(page))).toEqual([]);
  });
});

describe('a citation', () => {
  const pages: Pages = new Map([
    ['reference', '## 9 Versions\n### 9.3 Notes\n| 6.2.0 from any | rule |\n### 9.4. Steps\n1. one\n2. two'],
    ['security', '## Input\n- **S7** limits\n- **S8** numbers'],
    ['legacy-peer', '## State machine (30 seconds)\n## Surprises\n1. one'],
    ['performance', '## Rules\n1. one\n2. two'],
  ]);
  const places = new Map([...pages].map(([name, text]) => [name, placesOf(text)]));

  test.each<{ text: string; expectedCitations: readonly string[]; notCited?: readonly string[] }>([
    { text: 'kept (reference 9.3).', expectedCitations: ['reference 9.3'] },
    { text: 'Reference 9.3 and 9.4: both', expectedCitations: ['reference 9.3', 'reference 9.4'] },
    { text: 'kept (reference 9.3, 6.2.0)', expectedCitations: ['reference 9.3', 'reference 9.3, 6.2.0'] },
    { text: 'kept (reference 9.3, 6.3.0)', expectedCitations: ['reference 9.3'], notCited: ['reference 9.3, 6.3.0'] },
    { text: 'kept (reference 9.3, 9.4)', expectedCitations: ['reference 9.3'], notCited: ['reference 9.3, 9.4'] },
    { text: 'kept (reference 9.4.2)', expectedCitations: ['reference 9.4.2'] },
    { text: 'kept (reference\n * 9.5)', expectedCitations: [], notCited: ['reference 9.5'] },
    { text: 'kept (security S7 and S8)', expectedCitations: ['security S7', 'security S8'] },
    { text: 'kept (security S9)', expectedCitations: [], notCited: ['security S9'] },
    { text: 'kept (performance 2)', expectedCitations: ['performance 2'] },
    { text: 'kept (performance 3)', expectedCitations: [], notCited: ['performance 3'] },
    { text: 'kept (legacy-peer, State\n // machine): so', expectedCitations: ['legacy-peer State machine'] },
    { text: 'kept (legacy-peer, Surprises 1)', expectedCitations: ['legacy-peer Surprises 1'] },
    { text: 'kept (legacy-peer, Filters)', expectedCitations: [], notCited: ['legacy-peer Filters'] },
    { text: 'kept (legacy-peer)', expectedCitations: [], notCited: ['legacy-peer no place'] },
    { text: 'for reference, and to go on', expectedCitations: [] },
  ])('the parser finds the citations in the text "$text"', ({ text, expectedCitations, notCited = [] }) => {
    const cited = citationsIn(text, pages);
    const [there, nowhere] = [true, false].map((wanted) =>
      cited
        .filter(({ page, place }) => places.get(page)?.has(place) === wanted)
        .map(({ page, place }) => `${page} ${place}`),
    );
    expect(there).toEqual(expectedCitations);
    expect(nowhere).toEqual(notCited);
  });

  test.each([
    'reference, section 9',
    'reference, 7',
    'design, S7',
    'design S7',
    'design, State',
    'performance, rule 8',
  ])('the parser reports the citation "%s" as misspelled', (text) => {
    expect(otherSpellingsIn(`kept (${text})`, pages)).toHaveLength(1);
  });
});
