import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reusableResults, isNarrowerSearch } from '../../../shared/domain/search-narrowing.ts';
import { matchesSearch, parseSearch, searchText, type Search } from '../../../shared/domain/search.ts';
import { anEventRow } from '../../support/feed-rows.ts';

function searchOf(text: string): Search {
  const search = parseSearch(text);
  if (search.kind === 'problem') throw new Error(`${text}: ${search.message}`);
  return search;
}

test.each<{ before: string; next: string; narrower: boolean }>([
  { before: '', next: 'web', narrower: true },
  { before: 'we', next: 'web', narrower: true },
  { before: 'WE', next: 'web', narrower: true },
  { before: 'web', next: 'web disk', narrower: true },
  { before: 'web di', next: 'disk web', narrower: true },
  { before: 'web', next: 'web status=crit', narrower: true },
  { before: 'web', next: 'we', narrower: false },
  { before: 'silence', next: 'silenced', narrower: false },
  { before: 'web', next: 'web or db', narrower: false },
  { before: 'web', next: '!web', narrower: false },
  { before: 'client=web', next: 'client=web-1', narrower: false },
  { before: 'status=crit', next: 'status=crit web', narrower: false },
])('the search "$next" is narrower than "$before": $narrower', ({ before, next, narrower }) => {
  expect(isNarrowerSearch(searchOf(next), searchOf(before))).toBe(narrower);
});

test('a narrower search finds only rows that the wider search finds', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'ab', '!a', 'or', 'silenced', '"a b"', 'client=a', '(a or b)'), { maxLength: 4 })
    .map((parts) => parts.join(' '));
  const row = fc
    .record({ client: fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1 }), isSilenced: fc.boolean() })
    .map(({ client, isSilenced }) => anEventRow({ client, silenced_by: isSilenced ? ['x'] : [] }));
  fc.assert(
    fc.property(text, text, row, (one, other, event) => {
      const [next, before] = [parseSearch(one), parseSearch(other)];
      fc.pre(next.kind === 'search' && before.kind === 'search' && isNarrowerSearch(next, before));
      const found = { ...event, searchText: searchText(event) };
      expect(!matchesSearch(next, found, 0) || matchesSearch(before, found, 0)).toBe(true);
    }),
    { maxSkipsPerRun: 1000 },
  );
});

test.each<{ before: string; next: string; matched: boolean; missed: boolean }>([
  { before: 'we', next: 'web', matched: false, missed: true },
  { before: 'web', next: 'we', matched: true, missed: false },
  { before: 'client=web', next: 'client=web', matched: true, missed: true },
  { before: 'age>1h', next: 'age>1h', matched: false, missed: false },
  { before: 'client=web', next: 'disk', matched: false, missed: false },
])(
  'from "$before" to "$next", found rows stay found: $matched, and rows that were not found stay so: $missed',
  (about) => {
    const { before, next, ...carried } = about;
    expect(reusableResults(searchOf(next), searchOf(before))).toEqual(carried);
  },
);
