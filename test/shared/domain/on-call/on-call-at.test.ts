import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  gapsBetween,
  onCallAt,
  shiftsBetween,
  type OverrideSpan,
} from '../../../../shared/domain/on-call/on-call-at.ts';
import { parseOnCallSchedule, type OnCallSchedule } from '../../../../shared/domain/on-call/schedule.ts';
import { onCallScheduleSchema } from '../../../../shared/schemas/on-call.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

function scheduleOf(definition: object): OnCallSchedule {
  return parseOnCallSchedule('database', onCallScheduleSchema.parse(definition));
}

function override(id: string, person: string, from: string, until: string): OverrideSpan {
  return { id, person, fromMs: Date.parse(from), untilMs: Date.parse(until) };
}

const ROTATION = { people: ['ada', 'bob', 'cy'], handover: 'mon 09:00', every: '1 week', starting: '2026-01-05' };
const NIGHT = { people: ['night-team'], hours: 'mon-fri 18:00-08:00, sat-sun' };

describe('the person on call', () => {
  const schedule = scheduleOf({ 'time-zone': 'Europe/Berlin', layers: [ROTATION, NIGHT] });

  test.each([
    { at: '2026-01-05T07:59:59Z', person: undefined },
    { at: '2026-01-05T08:00:00Z', person: 'ada' },
    { at: '2026-01-05T17:00:00Z', person: 'night-team' },
    { at: '2026-01-06T06:59:59Z', person: 'night-team' },
    { at: '2026-01-06T07:00:00Z', person: 'ada' },
    { at: '2026-01-10T11:00:00Z', person: 'night-team' },
    { at: '2026-01-12T07:59:00Z', person: 'ada' },
    { at: '2026-01-12T08:00:00Z', person: 'bob' },
    { at: '2026-01-26T12:00:00Z', person: 'ada' },
    // Summer time: 09:00 in Berlin is 07:00 in UTC.
    { at: '2026-07-06T06:59:00Z', person: 'bob' },
    { at: '2026-07-06T07:00:00Z', person: 'cy' },
  ])('the person on call at $at is $person', ({ at, person }) => {
    expect(onCallAt(schedule, [], Date.parse(at))?.person).toBe(person);
  });

  test('is on call until another person is, even if the layer changes', () => {
    const both = scheduleOf({ layers: [{ people: ['ada'] }, { people: ['ada', 'bob'], hours: 'sat-sun' }] });
    const onCall = onCallAt(both, [], Date.parse('2026-01-12T12:00:00Z'));
    expect(onCall).toEqual({ person: 'ada', source: { layer: 1 }, untilMs: Date.parse('2026-01-24T00:00:00Z') });
  });

  test('has no end if nobody else is ever on call', () => {
    const alone = scheduleOf({ layers: [{ people: ['ada'] }] });
    expect(onCallAt(alone, [], 0)).toBeUndefined();
    expect(onCallAt(alone, [], Date.parse('2026-01-09T12:00:00Z'))).toEqual({
      person: 'ada',
      source: { layer: 1 },
      untilMs: undefined,
    });
  });
});

describe('an override', () => {
  const schedule = scheduleOf({ 'time-zone': 'Europe/Berlin', layers: [ROTATION, NIGHT] });

  test('wins over all layers, and the one that was created last wins over the others', () => {
    const overrides = [
      override('1', 'dan', '2026-01-07T10:00:00Z', '2026-01-07T20:00:00Z'),
      override('2', 'eve', '2026-01-07T12:00:00Z', '2026-01-07T14:00:00Z'),
    ];
    const day = [Date.parse('2026-01-07T07:00:00Z'), Date.parse('2026-01-07T22:00:00Z')] as const;
    expect(shiftsBetween(schedule, overrides, ...day).map(({ person, fromMs }) => [person, iso(fromMs)])).toEqual([
      ['ada', '2026-01-07T07:00'],
      ['dan', '2026-01-07T10:00'],
      ['eve', '2026-01-07T12:00'],
      ['dan', '2026-01-07T14:00'],
      ['night-team', '2026-01-07T20:00'],
    ]);
  });

  test('fills a gap', () => {
    const days = scheduleOf({ layers: [{ people: ['ada'], hours: 'mon-fri' }] });
    const week = [Date.parse('2026-01-05T00:00:00Z'), Date.parse('2026-01-12T00:00:00Z')] as const;
    const text = (overrides: OverrideSpan[]): string[] =>
      gapsBetween(days, overrides, ...week).map(({ fromMs, untilMs }) => `${iso(fromMs)} ${iso(untilMs)}`);
    expect(text([])).toEqual(['2026-01-10T00:00 2026-01-12T00:00']);
    expect(text([override('1', 'bob', '2026-01-10T00:00:00Z', '2026-01-11T12:00:00Z')])).toEqual([
      '2026-01-11T12:00 2026-01-12T00:00',
    ]);
  });
});

describe('when clocks change', () => {
  test.each([
    {
      name: 'a handover that Berlin skips happens at the change',
      zone: 'Europe/Berlin',
      layer: { people: ['ada', 'bob'], handover: '02:30', every: '1 day', starting: '2026-03-28' },
      from: '2026-03-28T12:00:00Z',
      starts: ['2026-03-28T12:00', '2026-03-29T01:00', '2026-03-30T00:30'],
    },
    {
      name: 'a handover that Berlin shows twice happens the first time',
      zone: 'Europe/Berlin',
      layer: { people: ['ada', 'bob'], handover: '02:30', every: '1 day', starting: '2026-10-24' },
      from: '2026-10-24T12:00:00Z',
      starts: ['2026-10-24T12:00', '2026-10-25T00:30', '2026-10-26T01:30'],
    },
    {
      name: 'a shift of one hour lasts two hours when New York sets clocks back',
      zone: 'America/New_York',
      layer: { people: ['ada', 'bob', 'cy'], every: '1 hour', starting: '2026-11-01' },
      from: '2026-11-01T04:00:00Z',
      starts: ['2026-11-01T04:00', '2026-11-01T05:00', '2026-11-01T07:00', '2026-11-01T08:00'],
    },
    {
      name: 'a shift of one hour does not happen when New York skips it',
      zone: 'America/New_York',
      layer: { people: ['ada', 'bob', 'cy'], every: '1 hour', starting: '2026-03-08' },
      from: '2026-03-08T05:00:00Z',
      starts: ['2026-03-08T05:00', '2026-03-08T06:00', '2026-03-08T07:00', '2026-03-08T08:00'],
    },
  ])('$name', ({ zone, layer, from, starts }) => {
    const shifts = shiftsBetween(
      scheduleOf({ 'time-zone': zone, layers: [layer] }),
      [],
      Date.parse(from),
      Date.parse(from) + 48 * HOUR_MS,
    );
    expect(shifts.slice(0, starts.length).map(({ fromMs }) => iso(fromMs))).toEqual(starts);
  });
});

describe('an independent calculation for each minute', () => {
  const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC', 'Asia/Kathmandu');
  const start = fc.constantFrom('2026-03-28', '2026-10-24', '2026-03-07', '2026-10-31', '2026-04-04', '2026-06-01');
  const people = fc.constantFrom(['ada'], ['bob', 'cy'], ['dan', 'eve', 'fay']);
  const time = fc.tuple(fc.nat(23), fc.constantFrom(0, 15, 30)).map(([hour, minute]) => `${pad(hour)}:${pad(minute)}`);
  const days = fc.constantFrom('daily', 'mon-fri', 'sat-sun', 'sun', 'fri-mon');
  const hours = fc.tuple(days, time, time).map(([day, begin, end]) => `${day} ${begin}-${end}`);
  const layer = fc.record(
    {
      people,
      handover: fc.oneof(
        time,
        time.map((text) => `sun ${text}`),
      ),
      every: fc.constantFrom('1 hour', '5 hours', '1 day', '2 days', '1 week'),
      starting: start,
      hours: fc.oneof(hours, days),
    },
    { requiredKeys: ['people'] },
  );

  test('agrees with the shifts', () => {
    fc.assert(
      fc.property(zone, start, fc.array(layer, { minLength: 1, maxLength: 3 }), (timeZone, day, layers) => {
        const schedule = scheduleOf({ 'time-zone': timeZone, layers });
        const fromMs = Date.parse(`${day}T12:00:00Z`);
        const untilMs = fromMs + 40 * HOUR_MS;
        const shifts = shiftsBetween(schedule, [], fromMs, untilMs);
        const clocks = greatestWalls(timeZone, fromMs, untilMs);
        for (const { atMs, wallMs } of clocks) {
          const shift = shifts.find((one) => one.fromMs <= atMs && atMs < one.untilMs);
          expect([iso(atMs), shift?.person]).toEqual([iso(atMs), personAt(schedule, wallMs)]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/**
 * Yields each tenth minute with the greatest wall time that clocks have shown until then. A wall time that clocks show
 * twice is reached the first time, and one that they skip is passed at the change.
 */
function* greatestWalls(
  timeZone: string,
  fromMs: number,
  untilMs: number,
): Generator<{ readonly atMs: number; readonly wallMs: number }> {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  let greatestMs = -Infinity;
  for (let atMs = fromMs - 4 * HOUR_MS; atMs < untilMs; atMs += 10 * MINUTE_MS) {
    // While clocks are set back, the greatest wall time is the minute before the change.
    const wallMs = Date.parse(`${format.format(atMs).replace(' ', 'T')}Z`);
    const previousMs = Date.parse(`${format.format(atMs - MINUTE_MS).replace(' ', 'T')}Z`);
    greatestMs = Math.max(greatestMs, wallMs, previousMs);
    if (atMs >= fromMs) yield { atMs, wallMs: greatestMs };
  }
}

function personAt({ layers }: OnCallSchedule, wallMs: number): string | undefined {
  const active = layers.findLast((one) => {
    if (wallMs < one.firstWallMs) return false;
    return (
      one.hours?.some(({ weekdays, beginMs, endMs }) =>
        [0, 1, 2].some((ago) => {
          const midnight = Math.floor(wallMs / (24 * HOUR_MS)) * 24 * HOUR_MS - ago * 24 * HOUR_MS;
          const isDay = weekdays.has(new Date(midnight).getUTCDay());
          return isDay && midnight + beginMs <= wallMs && wallMs < midnight + endMs;
        }),
      ) ?? true
    );
  });
  return active?.people[Math.floor((wallMs - active.firstWallMs) / active.everyMs) % active.people.length];
}

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
