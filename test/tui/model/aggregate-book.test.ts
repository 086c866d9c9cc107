import { describe, expect, test } from 'vitest';
import {
  aggregateBar,
  ConsoleAggregates,
  aggregateMark,
  DEFAULT_AGGREGATE_THRESHOLDS,
  isBelowThreshold,
  percentText,
  TREND_STEP_MS,
  type AggregateEntry,
} from '../../../tui/model/aggregate-book.ts';
import type { NamedAggregate } from '../../../shared/schemas/aggregate.ts';

function aSummary(ok: number, critical: number, name = 'web'): NamedAggregate {
  const results = { ok, warning: 0, critical, unknown: 0, total: ok + critical, stale: 0, silenced: 0, down: 0 };
  return { name, clients: ok + critical, checks: 1, results };
}

function entryOf(ok: number, critical: number): AggregateEntry {
  return new ConsoleAggregates(DEFAULT_AGGREGATE_THRESHOLDS).entryOf('web', aSummary(ok, critical));
}

test.each<{ ok: number; critical: number; percent: string; mark: string }>([
  { ok: 80, critical: 20, percent: '80%', mark: '✓' },
  { ok: 799, critical: 201, percent: '79%', mark: '✗' },
  { ok: 999, critical: 1, percent: '99%', mark: '✓' },
  { ok: 0, critical: 3, percent: '0%', mark: '✗' },
  { ok: 3, critical: 0, percent: '100%', mark: '✓' },
  { ok: 0, critical: 0, percent: '-', mark: '' },
])(
  'an aggregate with $ok OK and $critical critical results shows $percent and the mark $mark for a required 80 %',
  ({ ok, critical, percent, mark }) => {
    const entry = entryOf(ok, critical);
    expect([percentText(entry), aggregateMark(entry).text]).toEqual([percent, mark]);
  },
);

test('the required percentage of an aggregate is set by its name, by the default, or not at all', () => {
  const book = new ConsoleAggregates({
    default: 'none',
    named: new Map<string, number | 'none'>([
      ['strict', 99],
      ['lax', 10],
    ]),
  });
  book.load([aSummary(9, 1, 'strict'), aSummary(1, 9, 'lax'), aSummary(0, 10, 'other')], 0);
  expect(Array.from(book.entries(), ({ name, threshold: need }) => [name, need])).toEqual([
    ['strict', 99],
    ['lax', 10],
    ['other', undefined],
  ]);
  expect(Array.from(book.entries(), isBelowThreshold)).toEqual([true, false, false]);
});

function barOf(ok: number, critical: number, cells: number): string {
  return aggregateBar(entryOf(ok, critical), cells)
    .map(({ text }) => text)
    .join('');
}

describe('the bar of an aggregate', () => {
  test.each([
    { ok: 1, critical: 1, bar: '[■■■■■     ]' },
    { ok: 999, critical: 1, bar: '[■■■■■■■■■ ]' },
    { ok: 1000, critical: 0, bar: '[■■■■■■■■■■]' },
    { ok: 1, critical: 999, bar: '[■         ]' },
    { ok: 0, critical: 1000, bar: '[          ]' },
    { ok: 0, critical: 0, bar: '[          ]' },
  ])(
    'the bar of an aggregate is full or empty only for all or no results: $ok OK and $critical critical',
    ({ ok, critical, bar }) => {
      expect(barOf(ok, critical, 12)).toBe(bar);
    },
  );

  test.each([2, 3, 5, 12, 80])('the bar of an aggregate is exactly %d cells wide', (cells) => {
    for (const ok of [0, 1, 50, 99, 100]) expect(barOf(ok, 100 - ok, cells)).toHaveLength(cells);
  });
});

describe('the trend of an aggregate', () => {
  test('the trend of an aggregate gets a value every ten seconds, however often the aggregates are loaded', () => {
    const book = new ConsoleAggregates(DEFAULT_AGGREGATE_THRESHOLDS);
    for (let ms = 0; ms < 3 * TREND_STEP_MS; ms += 2000) book.load([aSummary(ms / 1000, 100 - ms / 1000)], ms);
    expect(book.get('web')?.trend).toEqual([0, 10, 20]);
  });

  test('the trend of an aggregate keeps ten minutes', () => {
    const book = new ConsoleAggregates(DEFAULT_AGGREGATE_THRESHOLDS);
    for (let step = 0; step < 100; step++) book.load([aSummary(step, 100 - step)], step * TREND_STEP_MS);
    const trend = book.get('web')?.trend ?? [];
    expect([trend.length, trend[0], trend.at(-1)]).toEqual([60, 40, 99]);
  });

  test('the trend is dropped with its aggregate and has no value while there are no results', () => {
    const book = new ConsoleAggregates(DEFAULT_AGGREGATE_THRESHOLDS);
    book.load([aSummary(1, 1)], 0);
    book.load([aSummary(0, 0)], TREND_STEP_MS);
    expect(book.get('web')?.trend).toEqual([50]);
    book.load([], 2 * TREND_STEP_MS);
    book.load([aSummary(1, 0)], 3 * TREND_STEP_MS);
    expect(book.get('web')?.trend).toEqual([100]);
  });
});
