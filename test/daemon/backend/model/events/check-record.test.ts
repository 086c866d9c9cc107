import { describe, expect, test } from 'vitest';
import { NO_CORRECTIONS, type Corrections } from '../../../../../daemon/clock/corrections.ts';
import {
  decodeCheckRecord,
  encodeCheckRecord,
  encodeRecordParts,
  encodeRenewed,
  toCachedRecord,
  renewedBodies,
  splitCheckRecord,
  type CheckBodies,
} from '../../../../../daemon/backend/model/events/check-record.ts';
import { NO_CHECK_STATE, nextCheckState, type CheckState } from '../../../../../shared/domain/event.ts';
import { historyOf } from '../../../../../shared/domain/history.ts';
import type { CheckResult } from '../../../../../shared/schemas/result.ts';

const CHECK: CheckResult = { name: 'disk', output: 'OK "✓"\n', status: 0, executed: 100, issued: 99, type: 'standard' };

const LONG_OK = Array.from({ length: 40 }, () => 0);

function stateAfter(...statuses: readonly number[]): CheckState {
  let state = NO_CHECK_STATE;
  for (const [at, status] of statuses.entries()) {
    ({ state } = nextCheckState(state, { status, executed: 100 + at }, { now: 100 + at, newId: () => 'an-id' }));
  }
  return state;
}

/** Encodes a record as a single JSON object, as earlier versions did. */
function referenceRecord(state: CheckState, bodies: CheckBodies, deletions: number, era: number) {
  const { history, lastOk, okCount, okWatermark, event } = state;
  return JSON.stringify({
    history,
    lastOk,
    okCount,
    okWatermark,
    event,
    eventHistory: bodies.eventHistory,
    deletionsBefore: deletions === 0 ? undefined : deletions,
    era: era === 0 ? undefined : era,
    eventCheck: bodies.eventCheck,
    check: bodies.check,
  });
}

test.each<{ title: string; state: CheckState; bodies?: CheckBodies }>([
  { title: 'all results are OK', state: stateAfter(0, 0, 0) },
  { title: 'the check is OK for longer than the history', state: stateAfter(...LONG_OK) },
  { title: 'a long problem came before', state: stateAfter(2, 2, 2, 2, 0) },
  { title: 'there was never an OK', state: { ...stateAfter(1), event: undefined } },
  { title: 'an event is open', state: stateAfter(0, 2) },
  { title: 'a status is not one of the usual four', state: { ...stateAfter(0), history: historyOf([127, 0]) } },
  { title: 'the event has its own check', state: stateAfter(2), bodies: { check: CHECK, eventCheck: CHECK } },
  {
    title: 'the event has its own history',
    state: stateAfter(2, 0),
    bodies: { check: CHECK, eventHistory: historyOf([2]) },
  },
  { title: 'the result was deleted', state: stateAfter(2), bodies: { check: null, eventCheck: CHECK } },
])(
  'a check record has the same text by direct encoding as by JSON.stringify if $title',
  ({ state, bodies = { check: CHECK } }) => {
    for (const deletions of [0, 3]) {
      for (const era of [0, 2]) {
        const record = encodeCheckRecord(state, bodies, deletions, era);
        expect(record).toBe(referenceRecord(state, bodies, deletions, era));
        expect(decodeCheckRecord(record)).toEqual(JSON.parse(referenceRecord(state, bodies, deletions, era)));
      }
    }
  },
);

test('a check record in which an inhibition names a check is split at the right place', () => {
  const { event, ...rest } = stateAfter(0, 2);
  if (event === undefined) throw new Error('it has no event');
  const state = {
    ...rest,
    event: {
      ...event,
      notifications: { inhibitedBy: { rule: 'switch', fingerprint: '1', client: 'sw-a', check: 'ping' } },
    },
  };
  const record = encodeCheckRecord(state, { check: CHECK }, 0);
  const { check = decodeCheckRecord(record).check } = splitCheckRecord(record) ?? {};
  expect(typeof check === 'string' ? JSON.parse(check) : check).toEqual(CHECK);
});

test('the check is extracted from a usual check record without parsing the record', () => {
  const state = stateAfter(0, 0);
  expect(splitCheckRecord(encodeCheckRecord(state, { check: CHECK }, 0))).toEqual({
    state: JSON.parse(JSON.stringify({ history: state.history, lastOk: state.lastOk })) as unknown,
    check: JSON.stringify(CHECK),
  });
});

test('a check record contains the number of consecutive OK results, and a restarted backend reads it', () => {
  const state = stateAfter(...LONG_OK);
  const record = encodeCheckRecord(state, { check: CHECK }, 0);
  expect(record).toContain('"okCount":39,"check"');
  expect(toCachedRecord(record, 'disk', NO_CORRECTIONS).state).toStrictEqual(state);
  expect(splitCheckRecord(record)?.state).toMatchObject({ okCount: 39 });
});

describe('a check record that is encoded in parts', () => {
  const check: CheckResult = { ...CHECK, ttl: 30, duration: 0.25, team: 'a,"check":{"b"' };
  const renewed = { stamp: 's1', executed: 160, issued: 159, duration: 0.5, output: undefined };

  test.each([0, 3])(
    'a check record encoded in parts equals one encoded as a whole, after %d deletions of aggregates',
    (deletions) => {
      for (const era of [0, 2]) {
        const record = encodeRecordParts(stateAfter(0, 0), check, deletions, era).join('');
        expect(JSON.parse(record)).toEqual(JSON.parse(encodeCheckRecord(stateAfter(0, 0), { check }, deletions, era)));
        expect(JSON.parse(splitCheckRecord(record)?.check ?? '')).toEqual(check);
      }
    },
  );

  test('a check record without a duration is encoded in parts as well', () => {
    const { duration: _, ...timeless } = check;
    const parts = encodeRecordParts(stateAfter(0), timeless, 0);
    expect(JSON.parse(parts.join(''))).toEqual(JSON.parse(encodeCheckRecord(stateAfter(0), { check: timeless }, 0)));
  });

  test.each([undefined, 'another "output"\u2028'])(
    'a delta result replaces only the changed parts of a check record: %s',
    (output) => {
      const parts = encodeRecordParts(stateAfter(0), check, 0);
      const later = encodeRenewed(stateAfter(0, 0), { ...renewed, output }, 1, 2);
      const record = parts.map((part, at) => later[at] ?? part).join('');
      const body = renewedBodies({ check }, { ...renewed, output });
      expect(body.check).toEqual({
        ...check,
        executed: 160,
        issued: 159,
        duration: 0.5,
        output: output ?? check.output,
      });
      expect(JSON.parse(record)).toEqual(JSON.parse(encodeCheckRecord(stateAfter(0, 0), body, 1, 2)));
    },
  );

  test('a starting backend reads a check record in parts like any other check record', () => {
    const { ttl: _, ...plain } = check;
    const corrections: Corrections = NO_CORRECTIONS;
    const record = encodeRecordParts(stateAfter(0), plain, 0).join('');
    expect(toCachedRecord(record, 'disk', corrections)).toEqual(
      toCachedRecord(encodeCheckRecord(stateAfter(0), { check: plain }, 0), 'disk', corrections),
    );
  });
});
