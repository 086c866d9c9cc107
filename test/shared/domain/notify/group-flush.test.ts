import { describe, expect, test } from 'vitest';
import {
  computeGroupFlush,
  type StateAtFlush,
  type MemberToFlush,
} from '../../../../shared/domain/notify/group-flush.ts';
import { nextFlushAtMs } from '../../../../shared/domain/notify/group-intervals.ts';
import {
  changeSinceNotified,
  nextMemberState,
  mergeLastNotified,
  type MemberState,
} from '../../../../shared/domain/notify/group-member.ts';

const TIMES = { groupWaitMs: 30_000, groupIntervalMs: 300_000, repeatIntervalMs: 14_400_000 };

describe('the next flush of a group', () => {
  test.each<{ name: string; pace: readonly (number | undefined)[]; due: number }>([
    { name: 'group_wait after its first event', pace: [1000], due: 31_000 },
    { name: 'at the earliest group_interval after the last flush', pace: [20_000, 10_000, 10_000], due: 310_000 },
    {
      name: 'group_wait after a new event if the last flush is long ago',
      pace: [900_000, 10_000, 10_000],
      due: 930_000,
    },
    {
      name: 'repeat_interval after the last notification if nothing changed',
      pace: [undefined, 10_000, 10_000],
      due: 14_410_000,
    },
    {
      name: 'group_interval after a flush without a notification if a repeat is due',
      pace: [undefined, 20_000_000, 10_000],
      due: 20_300_000,
    },
  ])('a group is flushed $name', ({ pace: [pendingSinceMs, flushedAtMs, notifiedAtMs], due }) => {
    expect(nextFlushAtMs({ pendingSinceMs, flushedAtMs, notifiedAtMs }, TIMES)).toBe(due);
  });

  test('a group without repeat_interval is checked every hour for events that no longer exist', () => {
    const pace = { pendingSinceMs: undefined, flushedAtMs: 0, notifiedAtMs: 0 };
    expect(nextFlushAtMs(pace, { ...TIMES, repeatIntervalMs: 0 })).toBe(3_600_000);
  });
});

const GROUP_MEMBERS: MemberState = { eventId: 'e', status: 2, isResolved: false, isTransient: false, lastNotified: 2 };

function applyResult(
  before: MemberState | undefined,
  status: number,
  more: { readonly action?: 'create' | 'resolve'; readonly silence_ended?: true } = {},
): string {
  const event = { id: 'e', action: 'create' as const, check: { status }, ...more };
  const next = nextMemberState(before, event, true);
  return next === undefined ? 'forgotten' : changeSinceNotified(next);
}

test.each([
  [undefined, undefined, undefined],
  [undefined, 2, 2],
  ['inhibited', 2, 2],
  ['inhibited', undefined, 'inhibited'],
  [undefined, 'inhibited', undefined],
  [1, 2, 1],
  ['renotify', 2, 'renotify'],
] as const)(
  'an event that is merged from two names with the notified states %s and %s has the notified state %s',
  (first, second, lastNotified) => {
    expect(mergeLastNotified(first, second)).toBe(lastNotified);
  },
);

describe('the change that an event makes in its group', () => {
  test.each<{ name: string; of: string; change: string }>([
    { name: 'a new event is new', of: applyResult(undefined, 2), change: 'new' },
    {
      name: 'an event that fails again before the first notification is new',
      of: applyResult({ ...GROUP_MEMBERS, lastNotified: undefined }, 1),
      change: 'new',
    },
    { name: 'an event with the notified status is unchanged', of: applyResult(GROUP_MEMBERS, 2), change: 'same' },
    {
      name: 'an event with another status than the notified status is changed',
      of: applyResult(GROUP_MEMBERS, 1),
      change: 'changed',
    },
    {
      name: 'an event whose silence ended is changed',
      of: applyResult(GROUP_MEMBERS, 2, { silence_ended: true }),
      change: 'changed',
    },
    {
      name: 'a resolved event is resolved',
      of: applyResult(GROUP_MEMBERS, 0, { action: 'resolve' }),
      change: 'resolved',
    },
    {
      name: 'a resolve of an event that the group does not contain is resolved',
      of: applyResult(undefined, 0, { action: 'resolve' }),
      change: 'resolved',
    },
    {
      name: 'an event that resolved before the first notification is dropped',
      of: applyResult({ ...GROUP_MEMBERS, lastNotified: undefined }, 0, { action: 'resolve' }),
      change: 'forgotten',
    },
    {
      name: 'an event that was inhibited before the first notification is new',
      of: applyResult({ ...GROUP_MEMBERS, lastNotified: 'inhibited' }, 2),
      change: 'new',
    },
    {
      name: 'an event that resolved while it was inhibited is dropped',
      of: applyResult({ ...GROUP_MEMBERS, lastNotified: 'inhibited' }, 0, { action: 'resolve' }),
      change: 'forgotten',
    },
    {
      name: 'an event that failed again before its resolve was notified is unchanged',
      of: applyResult({ ...GROUP_MEMBERS, isResolved: true, status: 0 }, 2),
      change: 'same',
    },
  ])('a flush classifies the event of a group: $name', ({ of, change }) => {
    expect(of).toBe(change);
  });
});

const member = (client: string, more: Partial<MemberToFlush> = {}): MemberToFlush => ({
  client,
  check: 'disk',
  jsonLength: 100,
  ...GROUP_MEMBERS,
  lastNotified: undefined,
  ...more,
});

const names = (some: readonly MemberToFlush[]): string => some.map(({ client }) => client).join(' ');

function flush(
  members: readonly MemberToFlush[],
  {
    presence = {},
    ...limits
  }: {
    readonly presence?: Readonly<Record<string, StateAtFlush>>;
    readonly isRepeatDue?: boolean;
    readonly eventCountMax?: number;
    readonly jsonLengthMax?: number;
  } = {},
) {
  const {
    listedMembers: listed,
    leavingMembers: leaving,
    notifiedMembers: notified,
    newlyInhibitedMembers: inhibited,
    ...rest
  } = computeGroupFlush(members, ({ client }) => presence[client] ?? 'open', {
    isRepeatDue: false,
    eventCountMax: 100,
    jsonLengthMax: 10_000,
    ...limits,
  });
  return {
    ...rest,
    listed: listed.map(([{ client }, change]) => `${client} ${change}`).join(', '),
    leaving: names(leaving),
    notified: names(notified),
    inhibited: names(inhibited),
  };
}

describe('the flush of a group', () => {
  test('a flush lists changed events by severity, then resolved events, then unchanged events', () => {
    const members = [
      member('known', { lastNotified: 2 }),
      member('over', { isResolved: true, status: 0, lastNotified: 2 }),
      member('warning', { status: 1 }),
      member('unknown', { status: 3 }),
      member('critical'),
    ];
    expect(flush(members)).toMatchObject({
      cause: 'change',
      listed: 'critical new, unknown new, warning new, over resolved, known same',
      leaving: 'over',
      notified: 'warning unknown critical',
      severity: 'critical',
      counts: { firing: 4, new: 3, changed: 0, resolved: 1 },
    });
  });

  test('a group without changes is flushed only when a repeat is due', () => {
    const members = [member('a', { lastNotified: 2 })];
    expect(flush(members)).toMatchObject({ cause: undefined, listed: '', omitted: 0 });
    expect(flush(members, { isRepeatDue: true })).toMatchObject({ cause: 'repeat', listed: 'a same' });
    expect(flush(members, { isRepeatDue: true, presence: { a: 'silenced' } })).toMatchObject({ cause: undefined });
  });

  test('a flush leaves out silenced events and keeps them pending', () => {
    const members = [member('a'), member('b')];
    expect(flush(members, { presence: { a: 'silenced' } })).toMatchObject({
      listed: 'b new',
      notified: 'b',
      leaving: '',
      hasPendingNotification: true,
    });
  });

  test('a flush leaves out inhibited pending events until they change again', () => {
    const members = [member('a'), member('b', { lastNotified: 'inhibited' }), member('c', { lastNotified: 2 })];
    const presence = { a: 'inhibited', c: 'inhibited' } as const;
    expect(flush(members, { presence })).toMatchObject({
      cause: undefined,
      inhibited: 'a',
      hasPendingNotification: false,
    });
  });

  test('a flush removes events that no longer exist from the group without a notification', () => {
    expect(flush([member('a')], { presence: { a: 'gone' } })).toMatchObject({ cause: undefined, leaving: 'a' });
  });

  test('a flush notifies transient events only once', () => {
    expect(flush([member('a', { isTransient: true })])).toMatchObject({ listed: 'a new', leaving: 'a', notified: '' });
  });

  test('a flush lists events up to a limit of number and bytes, at least one event, and counts the omitted events', () => {
    const members = [member('a'), member('b'), member('c')];
    expect(flush(members, { eventCountMax: 2 })).toMatchObject({
      listed: 'a new, b new',
      omitted: 1,
      notified: 'a b c',
    });
    expect(flush(members, { jsonLengthMax: 150 })).toMatchObject({ listed: 'a new', omitted: 2 });
    expect(flush([member('a', { jsonLength: 99_999 })])).toMatchObject({ listed: 'a new', omitted: 0 });
  });
});
