import { describe, expect, test } from 'vitest';
import {
  filterByDependencies,
  filterByOccurrences,
  filterEvent,
  parseFilter,
  type EventFilter,
  type FilterVerdict,
} from '../../../shared/domain/filter-event.ts';
import type { Event, EventAction } from '../../../shared/schemas/event.ts';
import { filterSchema } from '../../../shared/schemas/filter.ts';
import { anEvent } from '../../support/an-event.ts';

/** A time on a Friday. */
const MOMENT = { nowMs: Date.parse('2026-11-20T12:00:00Z'), zone: 'UTC' };

function aFilter(definition: unknown): EventFilter {
  const filter = parseFilter(filterSchema.parse(definition));
  if (filter.kind === 'problems') throw new Error(JSON.stringify(filter.problems));
  return filter;
}

function judge(definition: unknown, event: Event = anEvent()): FilterVerdict {
  return filterEvent(aFilter(definition), event, MOMENT);
}

describe('a filter (completion 1.9)', () => {
  const PRODUCTION = { client: { environment: 'production' } };
  const STAGING = { client: { environment: 'staging' } };
  const OFFICE = { days: { friday: [{ begin: '9:00 AM', end: '5:00 PM' }] } };
  const NIGHT = { days: { all: [{ begin: '10:00 PM', end: '6:00 AM' }] } };
  test.each<{ name: string; definition: unknown; kind: 'pass' | 'filtered'; reason: string }>([
    {
      name: 'an inclusive filter passes a matching event',
      definition: { attributes: PRODUCTION },
      kind: 'pass',
      reason: 'all attributes match',
    },
    {
      name: 'an inclusive filter rejects an event that does not match',
      definition: { attributes: STAGING, negate: false },
      kind: 'filtered',
      reason: 'client.environment is not "staging"',
    },
    {
      name: 'an exclusive filter rejects a matching event',
      definition: { attributes: PRODUCTION, negate: true },
      kind: 'filtered',
      reason: 'all attributes match',
    },
    {
      name: 'an exclusive filter passes an event that does not match',
      definition: { attributes: STAGING, negate: true },
      kind: 'pass',
      reason: 'client.environment is not "staging"',
    },
    {
      name: 'a filter applies within its time windows',
      definition: { attributes: STAGING, when: OFFICE },
      kind: 'filtered',
      reason: 'client.environment is not "staging"',
    },
    {
      name: 'an inclusive filter passes every event outside of its time windows',
      definition: { attributes: STAGING, when: NIGHT },
      kind: 'pass',
      reason: 'the time is outside of the time windows of the filter',
    },
    {
      name: 'an exclusive filter passes every event outside of its time windows',
      definition: { attributes: PRODUCTION, negate: true, when: NIGHT },
      kind: 'pass',
      reason: 'the time is outside of the time windows of the filter',
    },
    {
      name: 'a filter evaluates expressions',
      definition: { attributes: { occurrences: "eval: value == 1 || ':::action:::' == 'resolve'" } },
      kind: 'pass',
      reason: 'all attributes match',
    },
  ])('a filter passes or rejects an event: $name', ({ definition, kind, reason }) => {
    expect(judge(definition)).toMatchObject({ kind, reason });
  });

  test.each<{ attributes: unknown; negate: boolean; kind: string; defect: string }>([
    {
      attributes: { action: 'eval: value > 1' },
      negate: false,
      kind: 'filtered',
      defect: 'attribute value eval error',
    },
    { attributes: { action: 'eval: value > 1' }, negate: true, kind: 'pass', defect: 'attribute value eval error' },
    {
      attributes: { action: 'eval: :::nope:::' },
      negate: false,
      kind: 'filtered',
      defect: 'attribute value eval unmatched tokens',
    },
  ])('an expression without a value matches no event and is reported as: $defect', (row) => {
    const { kind, defect, ...definition } = row;
    expect(judge(definition)).toMatchObject({ kind, defect });
  });

  test('the verdict of a filter names the attribute that decided', () => {
    expect(judge({ attributes: STAGING })).toMatchObject({ attribute: 'client.environment' });
    expect(judge({ attributes: PRODUCTION, negate: true })).not.toHaveProperty('attribute');
  });

  test('a filter that cannot be parsed is reported as a problem of its definition', () => {
    expect(parseFilter(filterSchema.parse({ attributes: { check: { name: 'eval: value =' } } }))).toMatchObject({
      kind: 'problems',
      problems: [{ path: ['check', 'name'] }],
    });
  });
});

/** Returns the occurrences, from 1 to `until`, at which the filter passes the event. */
function handledAt(check: Record<string, unknown>, until: number, action: EventAction = 'create'): number[] {
  return Array.from({ length: until }, (_, index) => index + 1).filter(
    (occurrences) =>
      filterByOccurrences(anEvent({ check, action, occurrences, occurrences_watermark: occurrences })).kind === 'pass',
  );
}

function range(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

describe('the filter occurrences (completion 1.9)', () => {
  test.each<{ name: string; check: Record<string, unknown>; handled: number[] }>([
    { name: 'by default: every 30 minutes', check: {}, handled: [1, 31, 61] },
    { name: 'with a number of required occurrences', check: { occurrences: 3 }, handled: [3, 33, 63] },
    {
      name: 'with a refresh',
      check: { occurrences: 2, refresh: 300, interval: 30 },
      handled: [2, 12, 22, 32, 42, 52, 62],
    },
    {
      name: 'with a refresh that is no multiple of the interval',
      check: { refresh: 100, interval: 45 },
      handled: range(1, 65, 2),
    },
    {
      name: 'with a refresh shorter than the interval',
      check: { refresh: 30, interval: 60 },
      handled: range(1, 65, 1),
    },
    { name: 'with a refresh of 0', check: { refresh: 0 }, handled: range(1, 65, 1) },
    { name: 'with an invalid interval', check: { interval: 'x' }, handled: [1, 31, 61] },
    { name: 'with an invalid number of occurrences', check: { occurrences: '3' }, handled: range(1, 65, 1) },
    { name: 'with an invalid refresh', check: { refresh: 1.5 }, handled: range(1, 65, 1) },
  ])('the filter occurrences passes the right occurrences $name', ({ check, handled }) => {
    expect(handledAt(check, 65)).toEqual(handled);
    expect(handledAt(check, 65, 'flapping')).toEqual(handled);
  });

  test.each<{ occurrences: number; verdict: FilterVerdict }>([
    { occurrences: 2, verdict: { kind: 'filtered', reason: 'not enough occurrences' } },
    { occurrences: 3, verdict: { kind: 'pass', reason: 'enough occurrences' } },
    { occurrences: 4, verdict: { kind: 'pass', reason: 'the silence that suppressed it has ended' } },
  ])(
    'the filter occurrences decides after $occurrences occurrences at the end of a silence, whatever the refresh is',
    ({ occurrences, verdict }) => {
      const event = anEvent({ occurrences, check: { occurrences: 3 } });
      expect(filterByOccurrences({ ...event, silence_ended: true })).toEqual(verdict);
    },
  );

  test.each([
    {
      check: { occurrences: [1, 10, 100] },
      reason: 'because occurrences of the check is [1,10,100] and not a whole number',
    },
    { check: { refresh: 'often' }, reason: 'because refresh of the check is "often" and not a whole number' },
  ])('the filter occurrences passes every occurrence of a check with $check and says why', ({ check, reason }) => {
    const event = anEvent({ action: 'create', occurrences: 7, occurrences_watermark: 7, check });
    expect(filterByOccurrences(event)).toEqual({ kind: 'pass', reason: `occurrences are not counted, ${reason}` });
  });

  test.each<{ occurrences: number; watermark: number; verdict: FilterVerdict }>([
    { occurrences: 5, watermark: 5, verdict: { kind: 'pass', reason: 'it resolves an event that was handled' } },
    // The event was handled as a warning, and became critical for the first time right before it was resolved.
    { occurrences: 1, watermark: 3, verdict: { kind: 'pass', reason: 'it resolves an event that was handled' } },
    { occurrences: 2, watermark: 2, verdict: { kind: 'filtered', reason: 'not enough occurrences' } },
  ])(
    'the filter occurrences decides on a resolve after $occurrences occurrences with the watermark $watermark',
    ({ occurrences, watermark, verdict }) => {
      const event = anEvent({
        action: 'resolve',
        occurrences,
        occurrences_watermark: watermark,
        check: { occurrences: 3 },
      });
      expect(filterByOccurrences(event)).toEqual(verdict);
    },
  );

  test('the filter occurrences gives the reason for which it filters an event', () => {
    expect(filterByOccurrences(anEvent({ check: { occurrences: 2 } }))).toEqual({
      kind: 'filtered',
      reason: 'not enough occurrences',
    });
    expect(filterByOccurrences(anEvent({ occurrences: 2, occurrences_watermark: 2 }))).toEqual({
      kind: 'filtered',
      reason: 'only handling every 30 occurrences',
    });
  });
});

describe('the filter check_dependencies (completion 1.9)', () => {
  const stored = {
    has: (client: string, check: string) => ['web-1/network', 'db-1/mysql'].includes(`${client}/${check}`),
    hasOfSubscription: (subscription: string, check: string) =>
      ['routers/ping', 'client:db-1/mysql'].includes(`${subscription}/${check}`),
  };

  test.each<{ dependencies: unknown; failing?: string }>([
    { dependencies: undefined },
    { dependencies: [] },
    { dependencies: ['cpu'] },
    { dependencies: ['network'], failing: 'network' },
    { dependencies: ['mysql'] },
    { dependencies: ['cpu', 'db-1/mysql', 'network'], failing: 'db-1/mysql' },
    { dependencies: ['db-2/mysql'] },
    { dependencies: ['subscription:routers/ping'], failing: 'subscription:routers/ping' },
    { dependencies: ['subscription:client:db-1/mysql'], failing: 'subscription:client:db-1/mysql' },
    { dependencies: ['subscription:routers/mysql'] },
    // Invalid dependencies do not suppress the event.
    { dependencies: [null, 5, '', '/', {}] },
    { dependencies: 'network' },
  ])(
    'the filter check_dependencies decides on an event with the dependencies $dependencies',
    ({ dependencies, failing }) => {
      expect(filterByDependencies(anEvent({ check: { dependencies } }), stored)).toEqual(
        failing === undefined
          ? { kind: 'pass', reason: 'none of its dependencies has an event' }
          : { kind: 'filtered', reason: `its dependency has an event: ${failing}` },
      );
    },
  );
});
