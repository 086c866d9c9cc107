import { describe, expect, test } from 'vitest';
import { tabAt, tabRuns, type SavedTab } from '../../../tui/screens/tabs.ts';

const SAVED: readonly SavedTab[] = [
  { key: '8', name: 'on-call', count: 1234, isShown: false },
  { key: '9', name: 'edge', count: undefined, isShown: false },
];

function tabText(columns: number, saved: readonly SavedTab[] = SAVED): string {
  return tabRuns({ view: 'events', saved }, columns)
    .map(({ text }) => text)
    .join('');
}

describe('the tabs of the header', () => {
  test('saved views have tabs with their keys and counts behind the views', () => {
    expect(tabText(140)).toBe(
      ' 1 Overview  [2 Events]  3 Silences  4 Aggregates  5 Clients  6 Checks  7 Upgrade  8 on-call 1,234  9 edge ',
    );
  });

  test('tabs that do not fit lose the titles of the views first and then the names of the saved views', () => {
    expect(tabText(80)).toBe(' 1  [2 Events]  3  4  5  6  7  8 on-call 1,234  9 edge ');
    expect(tabText(50)).toBe(' 1  [2 Events]  3  4  5  6  7  8 1,234  9 ');
  });

  test('the tab of a saved view is marked instead of its view while the saved view is shown', () => {
    const shown = SAVED.map((tab) => ({ ...tab, isShown: tab.key === '8' }));
    expect(tabText(80, shown)).toBe(' 1  2  3  4  5  6  7  [8 on-call 1,234]  9 edge ');
  });

  test('a cell of the line belongs to the tab that is drawn there', () => {
    const text = tabText(140);
    const at = (part: string): unknown => tabAt({ view: 'events', saved: SAVED }, 140, text.indexOf(part));
    expect(at('5 Clients')).toEqual({ view: 'clients' });
    expect(at('on-call')).toEqual({ saved: 'on-call' });
    expect(tabAt({ view: 'events', saved: SAVED }, 140, text.length)).toBeUndefined();
  });
});
