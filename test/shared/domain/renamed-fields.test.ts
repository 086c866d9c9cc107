import { expect, test } from 'vitest';
import { withCurrentFields } from '../../../shared/domain/renamed-fields.ts';
import { readSearch } from '../../../shared/domain/search-language.ts';
import {
  CLIENT_SEARCH,
  GROUP_SEARCH,
  INHIBITION_SEARCH,
  SILENCED_SEARCH,
} from '../../../shared/domain/list-searches.ts';
import type { SearchLanguage } from '../../../shared/domain/search-language.ts';

function problemIn<Row>(language: SearchLanguage<Row>) {
  return (text: string): { readonly message: string; readonly position: number } | undefined => {
    const search = readSearch(language, text);
    return search.kind === 'problem' ? search : undefined;
  };
}

test.each([
  ['told<5m', problemIn(GROUP_SEARCH), 'unknown field told: use notified', 0],
  ['handler=mail UNTOLD>0', problemIn(GROUP_SEARCH), 'unknown field untold: use pending', 13],
  ['quiet>0', problemIn(INHIBITION_SEARCH), 'unknown field quiet: use inhibited', 0],
  ['when~switch', problemIn(INHIBITION_SEARCH), 'unknown field when: use source', 0],
  ['kept_back>1', problemIn(SILENCED_SEARCH), 'unknown field kept_back: use suppressed', 0],
])('the search %s with an old name of a field fails with the new name', (text, problemOf, message, position) => {
  expect(problemOf(text)).toMatchObject({ message, position });
});

test('an old field name of another list is rejected like any unknown field', () => {
  expect(problemIn(CLIENT_SEARCH)('told<5m')?.message).toMatch(/^there is no field "told": use client/);
});

test('an old field name without a comparison is searched as a word', () => {
  expect(problemIn(GROUP_SEARCH)('told')).toBeUndefined();
});

test('a saved search with old field names is rewritten with the current names', () => {
  expect(withCurrentFields('(told>5m or !untold=0) by~"told>1"', problemIn(GROUP_SEARCH))).toEqual({
    text: '(notified>5m or !pending=0) by~"told>1"',
    warnings: ['told is an old name: use notified', 'untold is an old name: use pending'],
  });
});

test('a saved search that cannot be parsed is left unchanged', () => {
  expect(withCurrentFields('notified>told', problemIn(GROUP_SEARCH))).toEqual({ text: 'notified>told', warnings: [] });
});
