import { describe, expect, test } from 'vitest';
import {
  isCheckpointDue,
  checkCountDelta,
  nextPastEvent,
  nextPastSilence,
  type PastEvent,
} from '../../../../shared/domain/timeline/past.ts';
import type { Transition } from '../../../../shared/schemas/timeline.ts';

const SECOND = 1000;

/** Returns the event after these transitions, one in each second. */
function behind(transitions: readonly Transition[]): PastEvent | undefined {
  let event: PastEvent | undefined;
  for (const [at, transition] of transitions.entries()) event = nextPastEvent(event, transition, at * SECOND);
  return event;
}

describe('the event after past transitions (spec, timeline 5)', () => {
  test.each<{ name: string; transitions: readonly Transition[]; expected: Partial<PastEvent> | undefined }>([
    { name: 'none behind a first OK', transitions: [{ kind: 'new', status: 0 }], expected: undefined },
    {
      name: 'begins with a create, which tells what a row shows',
      transitions: [
        { kind: 'new', status: 0 },
        { kind: 'create', was: 0, status: 2, occurrences: 1, output: 'down' },
      ],
      expected: { status: 2, isFlapping: false, occurrences: 1, since: 1, last: 1, output: 'down' },
    },
    {
      name: 'is since its last change of status, also where it began to flap later',
      transitions: [
        { kind: 'create', status: 1 },
        { kind: 'change', was: 1, status: 2 },
        { kind: 'flapping', was: 2, status: 2, flapping: true },
      ],
      expected: { status: 2, isFlapping: true, since: 1, last: 2 },
    },
    {
      name: 'flaps no longer behind steady, and with another status it is since then',
      transitions: [
        { kind: 'create', status: 2, flapping: true },
        { kind: 'steady', was: 2, status: 1 },
      ],
      expected: { status: 1, isFlapping: false, since: 1 },
    },
    {
      name: 'goes on while it recovers, and when it does not',
      transitions: [
        { kind: 'create', status: 2, occurrences: 3 },
        { kind: 'recovering', was: 2, status: 2, occurrences: 3 },
        { kind: 'relapse', was: 2, status: 2, occurrences: 4 },
      ],
      expected: { status: 2, occurrences: 4, since: 0, last: 2 },
    },
    {
      name: 'may flap while it is OK',
      transitions: [{ kind: 'create', was: 0, status: 0, flapping: true }],
      expected: { status: 0, isFlapping: true },
    },
    ...(['resolve', 'remove', 'rename'] as const).map((kind) => ({
      name: `is none behind ${kind}`,
      transitions: [{ kind: 'create', status: 2 } as const, { kind, was: 2, ...(kind === 'resolve' && { status: 0 }) }],
      expected: undefined,
    })),
    {
      name: 'of which only the end of flapping is known is since then',
      transitions: [{ kind: 'steady', was: 2, status: 2, occurrences: 7 }],
      expected: { status: 2, occurrences: 7, since: 0 },
    },
  ])('the event after past transitions is rebuilt: $name', ({ transitions, expected }) => {
    expect({ event: behind(transitions) }).toMatchObject({ event: expected });
  });
});

test.each<[string, Transition, number]>([
  ['a first result makes one more known', { kind: 'new', status: 0 }, 1],
  ['a first failure as well', { kind: 'create', status: 2 }, 1],
  ['a removal one less', { kind: 'remove', was: 0 }, -1],
  ['and a new name, which begins anew', { kind: 'rename', was: 2, to: 'x' }, -1],
  ['what is between changes nothing', { kind: 'resolve', was: 2, status: 0 }, 0],
])('the known checks of a client are counted: %s', (_name, transition, expected) =>
  expect(checkCountDelta(transition)).toBe(expected),
);

describe('the silence after a past transition', () => {
  test('the silence after a past transition has the attributes of its creation', () => {
    const made: Transition = { kind: 'silence', silence: '*:cpu', check: 'cpu', reason: 'CHG-1', end: 9000 };
    expect(nextPastSilence('*:cpu', { ...made, expire_on_resolve: true }, 1500)).toEqual({
      id: '*:cpu',
      subscription: null,
      check: 'cpu',
      creator: null,
      reason: 'CHG-1',
      begin: null,
      expireAtMs: 9000,
      expire_on_resolve: true,
      timestamp: 1,
    });
  });

  test.each(['clear', 'expire'] as const)('there is no silence after %s', (kind) => {
    expect(nextPastSilence('*:cpu', { kind, silence: '*:cpu', check: 'cpu' }, 0)).toBeUndefined();
  });
});

test.each([
  ['not for few transitions', { transitions: 19_999, rows: 10, ageMs: 0 }, false],
  ['for many', { transitions: 20_000, rows: 10, ageMs: 0 }, true],
  [
    'not before there are half as many as rows, so that it takes less room',
    { transitions: 49_999, rows: 1e5, ageMs: 0 },
    false,
  ],
  ['then it is', { transitions: 50_000, rows: 1e5, ageMs: 0 }, true],
  ['after a day for one', { transitions: 1, rows: 1e5, ageMs: 86_400_000 }, true],
  ['but not for none', { transitions: 0, rows: 1e5, ageMs: 86_400_000 }, false],
])('a checkpoint is due %s', (_name, age, isDue) => expect(isCheckpointDue(age)).toBe(isDue));
