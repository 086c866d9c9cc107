import { describe, expect, test } from 'vitest';
import { FuzzySearch, type Candidate } from '../../../tui/model/fuzzy-search.ts';

function candidate(text: string, kind = 'event', bias = 0): Candidate {
  return { text, kind, bias };
}

/** Returns the texts of the matches, the best first. */
function matchingTexts(search: string, texts: readonly string[], limit = 10): readonly string[] {
  return new FuzzySearch(texts.map((text) => candidate(text))).find(search, limit).map(({ item }) => item.text);
}

describe('the fuzzy search', () => {
  test('an equal text comes before a start, a start of a word, a part of a word, and scattered letters', () => {
    const texts = ['d-i-s-k-x', 'mydisk', 'db disk', 'disk-root', 'disk'];
    expect(matchingTexts('disk', texts)).toEqual(['disk', 'disk-root', 'db disk', 'mydisk', 'd-i-s-k-x']);
  });

  test('every word of the search must match, in any order', () => {
    expect(matchingTexts('disk web', ['web-1/disk', 'web-1/cpu', 'db-1/disk'])).toEqual(['web-1/disk']);
  });

  test('letters match in their order and only close to each other', () => {
    const far = `p${'x'.repeat(30)}g`;
    expect(matchingTexts('pgr', ['postgres-repl', far, 'rgp'])).toEqual(['postgres-repl']);
  });

  test('a word can name the kind of the things to find', () => {
    const search = new FuzzySearch([candidate('web-1', 'client'), candidate('web-1', 'check')]);
    expect(search.find('client web', 10).map(({ item }) => item.kind)).toEqual(['client']);
  });

  test('a candidate with a smaller bias comes first of two equal matches', () => {
    const search = new FuzzySearch([candidate('web', 'event', 0.5), candidate('web', 'client', 0.3)]);
    expect(search.find('web', 10).map(({ item }) => item.kind)).toEqual(['client', 'event']);
  });

  test('the number of matches is limited to the best ones', () => {
    const texts = Array.from({ length: 1000 }, (_, index) => `host-${String(index)}`);
    const matches = matchingTexts('host-7', texts, 5);
    expect(matches).toHaveLength(5);
    expect(matches[0]).toBe('host-7');
  });

  test('typing and deleting letters finds the same as searching from the start', () => {
    const texts = ['web-1/disk', 'web-2/cpu', 'db-1/disk', 'w-e-b', 'cpu'];
    const search = new FuzzySearch(texts.map((text) => candidate(text)));
    for (const text of ['w', 'we', 'web', 'web d', 'web di', 'web', 'w', '', 'c', 'cp', 'd']) {
      expect([text, search.find(text, 10).map(({ item }) => item.text)]).toEqual([text, matchingTexts(text, texts)]);
    }
  });
});
