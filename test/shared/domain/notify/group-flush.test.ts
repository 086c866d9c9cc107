import { describe, expect, test } from 'vitest';
import {
  changeOf,
  dueAtMs,
  nextGrouped,
  takeTurn,
  toldByEither,
  type GroupedState,
  type Presence,
  type TurnMember,
} from '../../../../shared/domain/notify/group-flush.ts';

const TIMES = { waitMs: 30_000, intervalMs: 300_000, repeatMs: 14_400_000 };

describe('the next flush of a group', () => {
  test.each<{ name: string; pace: readonly (number | undefined)[]; due: number }>([
    { name: 'after group_wait at first', pace: [1000], due: 31_000 },
    { name: 'not before group_interval after the last', pace: [20_000, 10_000, 10_000], due: 310_000 },
    { name: 'after group_wait when the last is long ago', pace: [900_000, 10_000, 10_000], due: 930_000 },
    { name: 'after repeat_interval without news', pace: [undefined, 10_000, 10_000], due: 14_410_000 },
    {
      name: 'group_interval after one that came to nothing, when a repetition is due',
      pace: [undefined, 20_000_000, 10_000],
      due: 20_300_000,
    },
  ])('$name', ({ pace: [untoldSinceMs, turnAtMs, toldAtMs], due }) => {
    expect(dueAtMs({ untoldSinceMs, turnAtMs, toldAtMs }, TIMES)).toBe(due);
  });

  test('a group without repetition is due in an hour to look for members that have gone', () => {
    const pace = { untoldSinceMs: undefined, turnAtMs: 0, toldAtMs: 0 };
    expect(dueAtMs(pace, { ...TIMES, repeatMs: 0 })).toBe(3_600_000);
  });
});

const KNOWN: GroupedState = { eventId: 'e', status: 2, isOver: false, isPassing: false, told: 2 };

function comes(
  before: GroupedState | undefined,
  status: number,
  more: { readonly action?: 'create' | 'resolve'; readonly silence_ended?: true } = {},
): string {
  const event = { id: 'e', action: 'create' as const, check: { status }, ...more };
  const next = nextGrouped(before, event, true);
  return next === undefined ? 'forgotten' : changeOf(next);
}

test.each([
  [undefined, undefined, undefined],
  [undefined, 2, 2],
  ['held', 2, 2],
  ['held', undefined, 'held'],
  [undefined, 'held', undefined],
  [1, 2, 1],
  ['again', 2, 'again'],
] as const)(
  'an event under two names with the notified states %s and %s has the notified state %s',
  (first, second, told) => {
    expect(toldByEither(first, second)).toBe(told);
  },
);

describe('the change that an event makes in its group', () => {
  test.each<{ name: string; of: string; change: string }>([
    { name: 'that nobody knows', of: comes(undefined, 2), change: 'new' },
    { name: 'again, before it was told', of: comes({ ...KNOWN, told: undefined }, 1), change: 'new' },
    { name: 'as it was told', of: comes(KNOWN, 2), change: 'same' },
    { name: 'with another status', of: comes(KNOWN, 1), change: 'changed' },
    { name: 'because its silence ended', of: comes(KNOWN, 2, { silence_ended: true }), change: 'changed' },
    { name: 'and is over', of: comes(KNOWN, 0, { action: 'resolve' }), change: 'resolved' },
    { name: 'and is over, of which nobody knew', of: comes(undefined, 0, { action: 'resolve' }), change: 'resolved' },
    {
      name: 'and is over before it was told',
      of: comes({ ...KNOWN, told: undefined }, 0, { action: 'resolve' }),
      change: 'forgotten',
    },
    { name: 'that an inhibition held', of: comes({ ...KNOWN, told: 'held' }, 2), change: 'new' },
    {
      name: 'and is over, while an inhibition held it',
      of: comes({ ...KNOWN, told: 'held' }, 0, { action: 'resolve' }),
      change: 'forgotten',
    },
    { name: 'back, before its end was told', of: comes({ ...KNOWN, isOver: true, status: 0 }, 2), change: 'same' },
  ])('an event in a group is classified: $name', ({ of, change }) => {
    expect(of).toBe(change);
  });
});

const member = (client: string, more: Partial<TurnMember> = {}): TurnMember => ({
  client,
  check: 'disk',
  bytes: 100,
  ...KNOWN,
  told: undefined,
  ...more,
});

const names = (some: readonly TurnMember[]): string => some.map(({ client }) => client).join(' ');

function turn(
  members: readonly TurnMember[],
  {
    presence = {},
    ...limits
  }: {
    readonly presence?: Readonly<Record<string, Presence>>;
    readonly isRepeatDue?: boolean;
    readonly events?: number;
    readonly bytes?: number;
  } = {},
) {
  const { listed, leaves, told, held, ...rest } = takeTurn(members, ({ client }) => presence[client] ?? 'open', {
    isRepeatDue: false,
    events: 100,
    bytes: 10_000,
    ...limits,
  });
  return {
    ...rest,
    listed: listed.map(([{ client }, change]) => `${client} ${change}`).join(', '),
    leaves: names(leaves),
    told: names(told),
    held: names(held),
  };
}

describe('the flush of a group', () => {
  test('a flush lists changes first, the worst before the rest, then resolved events, then unchanged ones', () => {
    const members = [
      member('known', { told: 2 }),
      member('over', { isOver: true, status: 0, told: 2 }),
      member('warning', { status: 1 }),
      member('unknown', { status: 3 }),
      member('critical'),
    ];
    expect(turn(members)).toMatchObject({
      cause: 'change',
      listed: 'critical new, unknown new, warning new, over resolved, known same',
      leaves: 'over',
      told: 'warning unknown critical',
      severity: 'critical',
      counts: { firing: 4, new: 3, changed: 0, resolved: 1 },
    });
  });

  test('a group without changes is flushed only when a repetition is due', () => {
    const members = [member('a', { told: 2 })];
    expect(turn(members)).toMatchObject({ cause: undefined, listed: '', omitted: 0 });
    expect(turn(members, { isRepeatDue: true })).toMatchObject({ cause: 'repeat', listed: 'a same' });
    expect(turn(members, { isRepeatDue: true, presence: { a: 'silenced' } })).toMatchObject({ cause: undefined });
  });

  test('a flush leaves out silenced events, which stay pending', () => {
    const members = [member('a'), member('b')];
    expect(turn(members, { presence: { a: 'silenced' } })).toMatchObject({
      listed: 'b new',
      told: 'b',
      leaves: '',
      hasUntold: true,
    });
  });

  test('a flush holds inhibited pending events until they change again', () => {
    const members = [member('a'), member('b', { told: 'held' }), member('c', { told: 2 })];
    const presence = { a: 'inhibited', c: 'inhibited' } as const;
    expect(turn(members, { presence })).toMatchObject({ cause: undefined, held: 'a', hasUntold: false });
  });

  test('a flush drops events that no longer exist without a notification', () => {
    expect(turn([member('a')], { presence: { a: 'gone' } })).toMatchObject({ cause: undefined, leaves: 'a' });
  });

  test('a flush notifies transient events once', () => {
    expect(turn([member('a', { isPassing: true })])).toMatchObject({ listed: 'a new', leaves: 'a', told: '' });
  });

  test('a flush has a limit of events and bytes, contains at least one and counts the others', () => {
    const members = [member('a'), member('b'), member('c')];
    expect(turn(members, { events: 2 })).toMatchObject({ listed: 'a new, b new', omitted: 1, told: 'a b c' });
    expect(turn(members, { bytes: 150 })).toMatchObject({ listed: 'a new', omitted: 2 });
    expect(turn([member('a', { bytes: 99_999 })])).toMatchObject({ listed: 'a new', omitted: 0 });
  });
});
