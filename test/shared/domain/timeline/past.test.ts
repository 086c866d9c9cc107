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

/** Returns the past event after these transitions, one per second. */
function behind(transitions: readonly Transition[]): PastEvent | undefined {
  let event: PastEvent | undefined;
  for (const [at, transition] of transitions.entries()) event = nextPastEvent(event, transition, at * SECOND);
  return event;
}

describe('the event after past transitions (spec, timeline 5)', () => {
  test.each<{ name: string; transitions: readonly Transition[]; expected: Partial<PastEvent> | undefined }>([
    { name: 'there is no event after a first OK', transitions: [{ kind: 'new', status: 0 }], expected: undefined },
    {
      name: 'a create yields an event with status, occurrences and output',
      transitions: [
        { kind: 'new', status: 0 },
        { kind: 'create', was: 0, status: 2, occurrences: 1, output: 'down' },
      ],
      expected: { status: 2, isFlapping: false, occurrences: 1, since: 1, last: 1, output: 'down' },
    },
    {
      name: 'a later start of flapping does not change the time of the last status change',
      transitions: [
        { kind: 'create', status: 1 },
        { kind: 'change', was: 1, status: 2 },
        { kind: 'flapping', was: 2, status: 2, flapping: true },
      ],
      expected: { status: 2, isFlapping: true, since: 1, last: 2 },
    },
    {
      name: 'the transition steady ends flapping and sets the time of a new status',
      transitions: [
        { kind: 'create', status: 2, flapping: true },
        { kind: 'steady', was: 2, status: 1 },
      ],
      expected: { status: 1, isFlapping: false, since: 1 },
    },
    {
      name: 'recovering and relapse keep the event open',
      transitions: [
        { kind: 'create', status: 2, occurrences: 3 },
        { kind: 'recovering', was: 2, status: 2, occurrences: 3 },
        { kind: 'relapse', was: 2, status: 2, occurrences: 4 },
      ],
      expected: { status: 2, occurrences: 4, since: 0, last: 2 },
    },
    {
      name: 'an event may flap with status OK',
      transitions: [{ kind: 'create', was: 0, status: 0, flapping: true }],
      expected: { status: 0, isFlapping: true },
    },
    {
      name: 'an acknowledgement has its owner, note and deadline',
      transitions: [
        { kind: 'create', status: 2 },
        { kind: 'acknowledge', was: 2, status: 2, creator: 'ada', reason: 'on it', end: 7_200_000 },
        { kind: 'flapping', was: 2, status: 2, flapping: true },
      ],
      expected: { acknowledgement: { owner: 'ada', note: 'on it', at: 1, until: 7200, status: 2 } },
    },
    {
      name: 'a worse status does not end a sticky acknowledgement',
      transitions: [
        { kind: 'create', status: 1 },
        { kind: 'acknowledge', was: 1, status: 1, creator: 'ada', sticky: true },
        { kind: 'change', was: 1, status: 2 },
      ],
      expected: { acknowledgement: { owner: 'ada', at: 1, sticky: true, status: 1 } },
    },
    ...(['resolve', 'remove', 'rename'] as const).map((kind) => ({
      name: `is none behind ${kind}`,
      transitions: [{ kind: 'create', status: 2 } as const, { kind, was: 2, ...(kind === 'resolve' && { status: 0 }) }],
      expected: undefined,
    })),
    {
      name: 'an event known only from the end of flapping starts at that time',
      transitions: [{ kind: 'steady', was: 2, status: 2, occurrences: 7 }],
      expected: { status: 2, occurrences: 7, since: 0 },
    },
  ])('the event after past transitions is rebuilt from the timeline: $name', ({ transitions, expected }) => {
    expect({ event: behind(transitions) }).toMatchObject({ event: expected });
  });

  test.each(['unacknowledge', 'change', 'flapping'] as const)(
    'the acknowledgement of a past event ends with the transition %s to a worse status',
    (kind) => {
      const transitions: readonly Transition[] = [
        { kind: 'create', status: 1 },
        { kind: 'acknowledge', was: 1, status: 1, creator: 'ada' },
        { kind, was: 1, status: 2 },
      ];
      expect(behind(transitions)).not.toHaveProperty('acknowledgement');
    },
  );
});

test.each<[string, Transition, number]>([
  ['a first OK result adds a check', { kind: 'new', status: 0 }, 1],
  ['a first failing result adds a check', { kind: 'create', status: 2 }, 1],
  ['a removal removes a check', { kind: 'remove', was: 0 }, -1],
  ['a rename removes the check with the old name', { kind: 'rename', was: 2, to: 'x' }, -1],
  ['other transitions do not change the number', { kind: 'resolve', was: 2, status: 0 }, 0],
])('a past transition changes the number of checks of a client: %s', (_name, transition, expected) =>
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

  test.each(['clear', 'expire'] as const)('there is no silence after the past transition %s', (kind) => {
    expect(nextPastSilence('*:cpu', { kind, silence: '*:cpu', check: 'cpu' }, 0)).toBeUndefined();
  });
});

test.each([
  ['not after few transitions', { transitions: 19_999, rows: 10, ageMs: 0 }, false],
  ['after many transitions', { transitions: 20_000, rows: 10, ageMs: 0 }, true],
  ['not before there are half as many transitions as rows', { transitions: 49_999, rows: 1e5, ageMs: 0 }, false],
  ['when there are half as many transitions as rows', { transitions: 50_000, rows: 1e5, ageMs: 0 }, true],
  ['after a day with one transition', { transitions: 1, rows: 1e5, ageMs: 86_400_000 }, true],
  ['not after a day without transitions', { transitions: 0, rows: 1e5, ageMs: 86_400_000 }, false],
])('a checkpoint of the timeline is due or not: %s', (_name, age, isDue) => expect(isCheckpointDue(age)).toBe(isDue));
