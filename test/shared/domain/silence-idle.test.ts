import { describe, expect, test } from 'vitest';
import { idleReason, idleStep, type IdleRules, type IdleStep } from '../../../shared/domain/silence-idle.ts';
import { toCurrentWindow, silencedEntry, type SilencedRequest } from '../../../shared/domain/silencing.ts';
import type { StoredSilenceCounters, SilencedEntry } from '../../../shared/schemas/silenced.ts';

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
  /** The epoch second since which the silence has matched nothing. */
  readonly since?: number;
  readonly use?: StoredSilenceCounters;
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
  return idleStep(toCurrentWindow(made, at * 1000), facts, { ...RULES, ...rules }, at * 1000);
}

const tableOf = (scenarios: readonly Scenario[]): void => {
  test.each(scenarios)('the idleness of a silence follows the rule: $name', ({ step, ...scenario }) => {
    expect(stepOf(scenario)).toEqual(step);
  });
};

describe('a silence that has matched nothing for long (spec, idleness 1)', () => {
  tableOf([
    { name: 'it is not marked a second before the idle time has passed', since: MADE, at: MADE + WEEK - 1, step: NONE },
    { name: 'it is marked when the idle time has passed', since: MADE, at: MADE + WEEK, step: idle(MADE, MADE + WEEK) },
    {
      name: 'the idle time counts from the last match',
      since: MADE + 2 * DAY,
      at: MADE + WEEK + 2 * DAY,
      step: idle(MADE + 2 * DAY, MADE + WEEK + 2 * DAY),
    },
    {
      name: 'it is not marked while it covers an open event',
      since: MADE,
      covers: true,
      at: MADE + WEEK,
      step: { kind: 'match' },
    },
    {
      name: 'it is not marked while it covers an event that has been open and unchanged for weeks',
      since: MADE,
      covers: true,
      at: MADE + 9 * WEEK,
      step: { kind: 'match' },
    },
    {
      name: 'it is never marked if the setting is off',
      since: MADE,
      rules: { afterSeconds: 0 },
      at: MADE + 9 * WEEK,
      step: NONE,
    },
    {
      name: 'it is never marked while a maintenance run renews it',
      entry: { run: 'run-1' },
      since: MADE,
      at: MADE + WEEK,
      step: NONE,
    },
    {
      name: 'an expired silence is not marked',
      request: { expire: DAY },
      since: MADE,
      at: MADE + WEEK,
      step: NONE,
    },
    {
      name: 'a pending silence is not marked, however long ago it was created',
      request: { begin: MADE + 2 * WEEK },
      at: MADE + 2 * WEEK - 1,
      step: NONE,
    },
    {
      name: 'the idle time counts from the begin of the silence, not from its creation',
      request: { begin: MADE + 2 * WEEK },
      since: MADE + 2 * WEEK,
      at: MADE + 3 * WEEK - 1,
      step: NONE,
    },
    {
      name: 'it is marked a week after its begin',
      request: { begin: MADE + 2 * WEEK },
      since: MADE + 2 * WEEK,
      at: MADE + 3 * WEEK,
      step: idle(MADE + 2 * WEEK, MADE + 3 * WEEK),
    },
  ]);
});

describe('the idle time (spec, idleness 2)', () => {
  tableOf([
    {
      name: 'the idle time starts at the creation of the silence',
      at: MADE + 60,
      step: { kind: 'count', since: MADE },
    },
    {
      name: 'the idle time starts at a later begin of the silence',
      request: { begin: MADE + HOUR },
      at: MADE + HOUR + 59,
      step: { kind: 'count', since: MADE + HOUR },
    },
    {
      name: 'the idle time starts now if earlier matches are unknown',
      at: MADE + 9 * WEEK,
      step: { kind: 'count', since: MADE + 9 * WEEK },
    },
    {
      name: 'the idle time starts now if only the number of suppressed notifications is known',
      use: { suppressed: 3, last_suppressed: MADE },
      at: MADE + 9 * WEEK,
      step: { kind: 'count', since: MADE + 9 * WEEK },
    },
  ]);
});

describe('a recurring silence (spec, idleness 3)', () => {
  tableOf([
    {
      name: 'it is not idle before its first window',
      request: SATURDAYS,
      since: MADE,
      rules: { afterSeconds: HOUR },
      at: MADE + 4 * DAY,
      step: NONE,
    },
    {
      name: 'it is not idle within its first window',
      request: SATURDAYS,
      since: MADE,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + 2 * HOUR - 1,
      step: NONE,
    },
    {
      name: 'it is idle after a whole window without a match',
      request: SATURDAYS,
      since: MADE,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + 2 * HOUR,
      step: idle(MADE, SATURDAY + 2 * HOUR),
    },
    {
      name: 'it is not idle before the idle time has passed',
      request: SATURDAYS,
      since: MADE,
      at: SATURDAY + WEEK - 1,
      step: NONE,
    },
    {
      name: 'it is idle when the idle time has passed',
      request: SATURDAYS,
      since: MADE,
      at: SATURDAY + WEEK,
      step: idle(MADE, SATURDAY + WEEK),
    },
    {
      name: 'the remaining part of a window with a match does not make it idle',
      request: SATURDAYS,
      since: SATURDAY + HOUR,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + WEEK,
      step: NONE,
    },
    {
      name: 'the next whole window without a match makes it idle',
      request: SATURDAYS,
      since: SATURDAY + HOUR,
      rules: { afterSeconds: HOUR },
      at: SATURDAY + WEEK + 2 * HOUR,
      step: idle(SATURDAY + HOUR, SATURDAY + WEEK + 2 * HOUR),
    },
    {
      name: 'it matches open events during a window',
      request: SATURDAYS,
      since: MADE,
      covers: true,
      at: SATURDAY + WEEK,
      step: { kind: 'match' },
    },
    {
      name: 'it matches no event between its windows',
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
    { name: 'the mark stays', entry: { idle: MARK }, since: MADE, at: MADE + 3 * WEEK, step: NONE },
    {
      name: 'the mark is removed when the silence matches an event',
      entry: { idle: MARK },
      since: MADE,
      covers: true,
      at: MADE + 3 * WEEK,
      step: { kind: 'match' },
    },
    {
      name: 'the mark is removed when the setting requires a longer idle time',
      entry: { idle: MARK },
      since: MADE,
      rules: { afterSeconds: 4 * WEEK },
      at: MADE + 3 * WEEK,
      step: WAKE,
    },
    {
      name: 'the mark is removed when the setting is turned off',
      entry: { idle: MARK },
      since: MADE,
      rules: { afterSeconds: 0 },
      at: MADE + 3 * WEEK,
      step: WAKE,
    },
    {
      name: 'the idle time starts again if the silence was restored without its matches',
      entry: { idle: MARK },
      at: MADE + 3 * WEEK,
      step: { kind: 'count', since: MADE + 3 * WEEK },
    },
    {
      name: 'the mark gets an end when the setting to end idle silences is turned on (spec, idleness 4)',
      entry: { idle: MARK },
      since: MADE,
      rules: { expireSeconds: 3 * WEEK },
      at: MADE + 2 * WEEK,
      step: { kind: 'idle', idle: { ...MARK, ends_at: MADE + 4 * WEEK } },
    },
    {
      name: 'the silence does not end before the end of the mark',
      entry: { idle: ENDING },
      since: MADE,
      rules: ends,
      at: ENDING.ends_at - 1,
      step: NONE,
    },
    {
      name: 'the silence ends at the end of the mark',
      entry: { idle: ENDING },
      since: MADE,
      rules: ends,
      at: ENDING.ends_at,
      step: { kind: 'end', idle: ENDING },
    },
    {
      name: 'the silence does not end while it matches an event',
      entry: { idle: ENDING },
      since: MADE,
      covers: true,
      rules: ends,
      at: ENDING.ends_at,
      step: { kind: 'match' },
    },
    {
      name: 'the end of the mark is removed when the setting to end idle silences is turned off',
      entry: { idle: ENDING },
      since: MADE,
      at: ENDING.ends_at,
      step: { kind: 'idle', idle: MARK },
    },
    {
      name: 'the silence is marked before it ends, however late it is, so that operators can see the mark',
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
