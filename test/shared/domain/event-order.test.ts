import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENT_SORT_COLUMNS, eventOrder } from '../../../shared/domain/event-order.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const anyRow = fc
  .record({
    client: fc.constantFrom('a', 'b'),
    check: fc.constantFrom('x', 'y'),
    status: fc.integer({ min: 0, max: 4 }),
    occurrences: fc.nat(2),
    since: fc.nat(2),
    last: fc.nat(2),
    silenced_by: fc.constantFrom([], ['a:x']),
  })
  .map(anEventRow);

test('every sort order of events is total, and only events of the same client and check compare as equal', () => {
  const anyOrder = fc.tuple(fc.constantFrom(...EVENT_SORT_COLUMNS), fc.boolean());
  fc.assert(
    fc.property(anyOrder, anyRow, anyRow, anyRow, ([column, isReversed], a, b, c) => {
      const compare = eventOrder(column, isReversed);
      expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0);
      expect(compare(a, b) <= 0 && compare(b, c) <= 0 && compare(a, c) > 0).toBe(false);
      expect(compare(a, b) === 0).toBe(a.client === b.client && a.check === b.check && compare(b, a) === 0);
    }),
  );
});
