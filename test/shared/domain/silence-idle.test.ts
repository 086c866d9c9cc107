import { describe, expect, test } from 'vitest';
import { idleReason, idleStep, type IdleRules, type IdleStep } from '../../../shared/domain/silence-idle.ts';
import { entryAt, silencedEntry, type SilencedRequest } from '../../../shared/domain/silencing.ts';
import type { KeptUse, SilencedEntry } from '../../../shared/schemas/silenced.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** Monday, 2026-01-05 00:00 UTC. */
const MADE = Date.UTC(2026, 0, 5) / 1000;
const RULES: IdleRules = { afterSeconds: WEEK, expireSeconds: 0 };
const SATURDAYS = { recurrence: { schedule: 'sat 02:00', duration: 2 * HOUR } };
const SATURDAY = MADE + 5 * DAY + 2 * HOUR;

interface Scenario {
  readonly name: string;
  readonly request?: SilencedRequest;
  readonly entry?: Partial<SilencedEntry>;
  /** The time since which the silence has matched nothing. */
  readonly since?: number;
  readonly use?: KeptUse;
  readonly covers?: boolean;
  readonly rules?: Partial<IdleRules>;
  readonly at: number;
  readonly step: IdleStep;
}

const NONE: IdleStep = { kind: 'none' };
const WAKE: IdleStep = { kind: 'wake' };
const idle = (since: number, at: number): IdleStep => ({ kind: 'idle', idle: { since, at } });

function stepOf({ request, entry, since, use, covers = false, rules, at }: Omit<Scenario, 'name' | 'step'>): IdleStep {
  const made = { ...silencedEntry({ check: 'disk', ...request }, MADE * 1000), ...entry };
  const counted = since === undefined ? undefined : { suppressed: 0, last_suppressed: null, unmatched_since: since };
  const facts = { use: use ?? counted, covers: () => covers };
  return idleStep(entryAt(made, at * 1000), facts, { ...RULES, ...rules }, at * 1000);
}

const tableOf = (scenarios: readonly Scenario[]): void => {
  test.each(scenarios)('the idleness of a silence follows the rule: $name', ({ step, ...scenario }) => {
    expect(stepOf(scenario)).toEqual(step);
  });
};

describe('a silence that has matched nothing for long (spec, idleness 1)', () => {
  tableOf([
    { name: 'not a second before', since: MADE, at: MADE + WEEK - 1, step: NONE },
    { name: 'when the time has come', since: MADE, at: MADE + WEEK, step: idle(MADE, MADE + WEEK) },
    {
      name: 'from what it matched last',
      since: MADE + 2 * DAY,
      at: MADE + WEEK + 2 * DAY,
      step: idle(MADE + 2 * DAY, MADE + WEEK + 2 * DAY),
    },
    { name: 'not while it covers an open event', since: MADE, covers: true, at: MADE + WEEK, step: { kind: 'match' } },
    {
      name: 'not while it covers an event that is open and unchanged for weeks',
      since: MADE,
      covers: true,
      at: MADE + 9 * WEEK,
      step: { kind: 'match' },
    },
    { name: 'never where nobody wants it', since: MADE, rules: { afterSeconds: 0 }, at: MADE + 9 * WEEK, step: NONE },
    { name: 'never while a command holds it', entry: { run: 'run-1' }, since: MADE, at: MADE + WEEK, step: NONE },
    {
      name: 'not one that has ended',
      request: { expire: DAY },
      since: MADE,
      at: MADE + WEEK,
      step: NONE,
    },
    {
      name: 'not where it begins later, however long ago it was made',
      request: { begin: MADE + 2 * WEEK },
      at: MADE + 2 * WEEK - 1,
      step: NONE,
    },
    {
      name: 'counted from its begin, not from its making',
      request: { begin: MADE + 2 * WEEK },
      since: MADE + 2 * WEEK,
      at: MADE + 3 * WEEK - 1,
      step: NONE,
    },
    {
      name: 'and then a week after its begin',
      request: { begin: MADE + 2 * WEEK },
      since: MADE + 2 * WEEK,
      at: MADE + 3 * WEEK,
      step: idle(MADE + 2 * WEEK, MADE + 3 * WEEK),
    },
  ]);
});

describe('the idle time (spec, idleness 2)', () => {
  tableOf([
    { name: 'from its making', at: MADE + 60, step: { kind: 'count', since: MADE } },
    {
      name: 'from its begin where that is later',
      request: { begin: MADE + HOUR },
      at: MADE + HOUR + 59,
      step: { kind: 'count', since: MADE + HOUR },
    },
    {
      name: 'from now on where nobody looked before: what it matched meanwhile is not known',
      at: MADE + 9 * WEEK,
      step: { kind: 'count', since: MADE + 9 * WEEK },
    },
    {
      name: 'from now on, too, where it is known only how often it kept something back',
      use: { suppressed: 3, last_suppressed: MADE },
      at: MADE + 9 * WEEK,
      step: { kind: 'count', since: MADE + 9 * WEEK },
    },
  ]);
});

describe('a recurring silence (spec, idleness 3)', () => {
  tableOf([
    {
      name: 'is not before its first window',
      request: SATURDAYS,
      since: MADE,
      rules: { afterSeconds: HOUR },
      at: MADE + 4 * DAY,
      step: NONE,
    },
    {
      name: 'is not within it',
      request: SATURDAYS,
      since: MADE,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + 2 * HOUR - 1,
      step: NONE,
    },
    {
      name: 'is when a whole window has gone by with nothing',
      request: SATURDAYS,
      since: MADE,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + 2 * HOUR,
      step: idle(MADE, SATURDAY + 2 * HOUR),
    },
    {
      name: 'is not before the time has come, counted from that window',
      request: SATURDAYS,
      since: MADE,
      at: SATURDAY + WEEK - 1,
      step: NONE,
    },
    {
      name: 'is then',
      request: SATURDAYS,
      since: MADE,
      at: SATURDAY + WEEK,
      step: idle(MADE, SATURDAY + WEEK),
    },
    {
      name: 'is not by the rest of a window in which something matched',
      request: SATURDAYS,
      since: SATURDAY + HOUR,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + WEEK,
      step: NONE,
    },
    {
      name: 'is by the next one as a whole',
      request: SATURDAYS,
      since: SATURDAY + HOUR,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + WEEK + 2 * HOUR,
      step: idle(SATURDAY + HOUR, SATURDAY + WEEK + 2 * HOUR),
    },
    {
      name: 'matches what is open while a window is in force',
      request: SATURDAYS,
      since: MADE,
      covers: true,
      at: SATURDAY + WEEK,
      step: { kind: 'match' },
    },
    {
      name: 'matches nothing between its windows',
      request: SATURDAYS,
      since: MADE,
      covers: true,
      at: SATURDAY + WEEK + 3 * HOUR,
      step: idle(MADE, SATURDAY + WEEK + 3 * HOUR),
    },
  ]);
});

describe('a silence that is marked as idle', () => {
  const MARK = { since: MADE, at: MADE + WEEK };
  const ENDING = { ...MARK, ends_at: MADE + WEEK + DAY };
  const ends = { expireSeconds: DAY };
  tableOf([
    { name: 'stays so', entry: { idle: MARK }, since: MADE, at: MADE + 3 * WEEK, step: NONE },
    {
      name: 'is not any more when it matches something',
      entry: { idle: MARK },
      since: MADE,
      covers: true,
      at: MADE + 3 * WEEK,
      step: { kind: 'match' },
    },
    {
      name: 'is not any more when a longer time is wanted',
      entry: { idle: MARK },
      since: MADE,
      rules: { afterSeconds: 4 * WEEK },
      at: MADE + 3 * WEEK,
      step: WAKE,
    },
    {
      name: 'is not any more when nobody wants marks',
      entry: { idle: MARK },
      since: MADE,
      rules: { afterSeconds: 0 },
      at: MADE + 3 * WEEK,
      step: WAKE,
    },
    {
      name: 'counts anew where it was brought back without what is known of it',
      entry: { idle: MARK },
      at: MADE + 3 * WEEK,
      step: { kind: 'count', since: MADE + 3 * WEEK },
    },
    {
      name: 'says when it ends once that is wanted (spec, idleness 4)',
      entry: { idle: MARK },
      since: MADE,
      rules: { expireSeconds: 3 * WEEK },
      at: MADE + 2 * WEEK,
      step: { kind: 'idle', idle: { ...MARK, ends_at: MADE + 4 * WEEK } },
    },
    {
      name: 'does not end before',
      entry: { idle: ENDING },
      since: MADE,
      rules: ends,
      at: ENDING.ends_at - 1,
      step: NONE,
    },
    {
      name: 'ends then',
      entry: { idle: ENDING },
      since: MADE,
      rules: ends,
      at: ENDING.ends_at,
      step: { kind: 'end', idle: ENDING },
    },
    {
      name: 'does not end while it matches something',
      entry: { idle: ENDING },
      since: MADE,
      covers: true,
      rules: ends,
      at: ENDING.ends_at,
      step: { kind: 'match' },
    },
    {
      name: 'does not end any more when nobody wants that',
      entry: { idle: ENDING },
      since: MADE,
      at: ENDING.ends_at,
      step: { kind: 'idle', idle: MARK },
    },
    {
      name: 'is marked first, however late it is: nothing ends that nobody could see',
      since: MADE,
      rules: ends,
      at: MADE + 9 * WEEK,
      step: { kind: 'idle', idle: { since: MADE, at: MADE + 9 * WEEK, ends_at: MADE + 9 * WEEK + DAY } },
    },
  ]);

  test('a silence that ended because it was idle gives the reason', () => {
    expect(idleReason(ENDING)).toBe('idle: no event matched since 2026-01-05T00:00:00Z, marked 2026-01-12T00:00:00Z');
  });
});
