import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_CORRECTIONS } from '../../../../daemon/clock/corrections.ts';
import {
  datedCheckRecord,
  encodeCheckRecord,
  toCachedRecord,
  checkStateOf,
} from '../../../../daemon/backend/model/events/check-record.ts';
import { aggregateNames } from '../../../../shared/domain/aggregate.ts';
import { nextCheckState, NO_CHECK_STATE, type CheckState } from '../../../../shared/domain/event.ts';
import { ttlOf } from '../../../../shared/domain/ttl.ts';
import type { CheckResult } from '../../../../shared/schemas/result.ts';

/** Objects with attributes that the backend keeps in memory, or with texts that look like such attributes. */
const oddity = fc.constantFrom<object>(
  {},
  { status: 0, nested: { status: 2, executed: 5 } },
  { 'x"status': 7 },
  { 'x"executed': 7, output: '"status":3,"executed":9' },
  { text: 'ttl', list: ['status', 'aggregate'] },
  { ttl: 30 },
  { ttl: 30, event_metadata: {} },
  { aggregate: 'a' },
  { aggregates: ['a', 'b'] },
  { executed: 1.5 },
  { status: 127 },
  { status: -1 },
  { check: { check: { status: 1 } } },
);
const result = fc.record({ status: fc.constantFrom(0, 0, 0, 1, 2), executed: fc.nat(), oddity });

test.each([
  { title: 'a clock without a correction', corrections: NO_CORRECTIONS },
  { title: 'a corrected clock', corrections: { seconds: [3600], merged: 0 } },
])('extracting a check record without parsing it yields the same as parsing, with $title', ({ corrections }) => {
  fc.assert(
    fc.property(fc.array(result, { minLength: 1, maxLength: 25 }), fc.nat(40), (results, okBefore) => {
      let state: CheckState = NO_CHECK_STATE;
      for (let at = 0; at < okBefore; at++) {
        ({ state } = nextCheckState(state, { status: 0, executed: at }, { now: 1, newId: () => 'id' }));
      }
      let last: CheckResult | undefined;
      for (const { status, executed, oddity: odd } of results) {
        last = { name: 'disk', output: 'o', issued: 1, status, executed, ...odd };
        ({ state } = nextCheckState(state, last, { now: 1, newId: () => 'id', notifiesOk: false }));
      }
      const text = encodeCheckRecord(state, { check: last ?? null }, 0);
      const record = datedCheckRecord(text, corrections);
      const held = toCachedRecord(text, 'disk', corrections);
      expect(held.state).toStrictEqual(checkStateOf(record));
      expect(held.result).toMatchObject({
        name: 'disk',
        status: record.check?.status,
        executed: record.check?.executed,
      });
      expect(ttlOf(held.result)).toBe(ttlOf(record.check ?? undefined));
      expect(aggregateNames(held.result ?? { name: '' })).toEqual(aggregateNames(record.check ?? { name: '' }));
      const hasEvent = state.event !== undefined;
      expect(hasEvent ? held.output : '').toBe(hasEvent ? record.check?.output : '');
    }),
  );
});
