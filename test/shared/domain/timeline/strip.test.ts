import { describe, expect, test } from 'vitest';
import { outagesOf, stripOf } from '../../../../shared/domain/timeline/strip.ts';
import type { CheckHistory } from '../../../../shared/schemas/availability.ts';

/**
 * Returns the past of a check from 0 to 100.
 *
 * @param stretches start, end and status of each stretch; the status is missing where nothing is known
 */
const historyWith = (
  stretches: readonly (readonly [number, number, number?])[],
  silenced: readonly (readonly [number, number])[] = [],
): CheckHistory => ({
  since: 0,
  until: 100,
  stretches: stretches.map(([since, until, status]) => ({ since, until, ...(status !== undefined && { status }) })),
  silenced: silenced.map(([since, until]) => ({ since, until })),
  availability: { ok: 0, warning: 0, critical: 0, unknown: 0, silenced: 0, no_data: 0, outages: 0, percent: null },
});

const SHOWN = { ok: '-', warning: '!', critical: 'x', unknown: '?', silenced: 's' };
const drawn = (of: CheckHistory, cells = 10): string =>
  stripOf(of, cells)
    .map((cell) => (cell === undefined ? ' ' : SHOWN[cell]))
    .join('');

describe('the status strip of a timeline', () => {
  test.each<[string, CheckHistory, string]>([
    ['each status takes cells in proportion to its duration', historyWith([[0, 50, 0], [50, 100, 2]]), '-----xxxxx'], // prettier-ignore
    ['time without history is blank', historyWith([[0, 30], [30, 100, 0]]), '   -------'], // prettier-ignore
    ['a very short outage takes a whole cell', historyWith([[0, 41, 0], [41, 42, 2], [42, 100, 0]]), '----x-----'], // prettier-ignore
    ['a cell shows its worst status', historyWith([[0, 41, 0], [41, 43, 1], [43, 44, 2], [44, 100, 0]]), '----x-----'], // prettier-ignore
    ['an outage that ends at the start of a cell is not shown in that cell', historyWith([[0, 20, 2], [20, 100, 0]]), 'xx--------'], // prettier-ignore
    ['silenced time is shown as silenced', historyWith([[0, 50, 2], [50, 100, 0]], [[20, 80]]), 'xxsss-----'], // prettier-ignore
    ['the unsilenced part of an outage is shown as failing', historyWith([[0, 100, 2]], [[15, 85]]), 'xxssssssxx'], // prettier-ignore
  ])('the status strip of a timeline is drawn: %s', (_, of, expected) => {
    expect(drawn(of)).toBe(expected);
  });
});

test('outages are uninterrupted failing spans, the newest first', () => {
  const of = historyWith([[0, 10], [10, 20, 1], [20, 30, 2], [30, 60, 0], [60, 100, 3]], [[25, 70]]); // prettier-ignore
  expect(outagesOf(of)).toEqual([
    { sinceMs: 60, untilMs: 100, worst: 3, silencedMs: 10 },
    { sinceMs: 10, untilMs: 30, worst: 2, silencedMs: 5 },
  ]);
});
