import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nextCheckState,
  NO_CHECK_STATE,
  type CheckState,
  type DecidingResult,
  type EventState,
  type EventTransition,
} from '../../../shared/domain/event.ts';
import { HISTORY_LENGTH, statusesOf } from '../../../shared/domain/history.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const [OK, WARNING, CRITICAL] = [0, 1, 2];

/** A result as its status, or as attributes. The results are executed at the seconds 100, 101 and so on. */
type ResultOrStatus = number | (Partial<DecidingResult> & { readonly status: number });

interface Step {
  readonly kind: EventTransition['kind'];
  /** The event that was handled, or `undefined` if none was. */
  readonly event: EventState | undefined;
  readonly state: CheckState;
}

/** Processes the results in order; `common` are attributes of all results. */
function processResults(results: readonly ResultOrStatus[], common: Partial<DecidingResult> = {}): Step[] {
  let state = NO_CHECK_STATE;
  let ids = 0;
  return results.map((given, index) => {
    const now = 100 + index;
    const result = { ...common, executed: now, ...(typeof given === 'number' ? { status: given } : given) };
    const next = nextCheckState(state, result, { now, newId: () => `id-${String(++ids)}` });
    state = next.state;
    const { transition } = next;
    return { kind: transition.kind, event: transition.kind === 'none' ? undefined : transition.event, state };
  });
}

const handled = <T>(
  results: readonly ResultOrStatus[],
  pick: (event: EventState) => T,
  common: Partial<DecidingResult> = {},
): (T | undefined)[] =>
  processResults(results, common).map(({ event }) => (event === undefined ? undefined : pick(event)));

describe('an event', () => {
  test.each<{ name: string; results: ResultOrStatus[]; expected: EventTransition['kind'][] }>([
    { name: 'is not opened by an OK result', results: [OK, OK], expected: ['none', 'none'] },
    {
      name: 'opens with a problem and stays open while the problem lasts',
      results: [WARNING, WARNING, CRITICAL],
      expected: ['open', 'open', 'open'],
    },
    { name: 'is resolved by the first OK result', results: [CRITICAL, OK, OK], expected: ['open', 'resolve', 'none'] },
    { name: 'opens for any status but 0', results: [3, 127, -1, OK], expected: ['open', 'open', 'open', 'resolve'] },
  ])('an event $name', ({ results, expected }) => {
    expect(processResults(results).map(({ kind }) => kind)).toEqual(expected);
  });

  test('an event is handled with action create for each failing result, then with action resolve', () => {
    expect(handled([WARNING, CRITICAL, CRITICAL, OK], ({ action }) => action)).toEqual([
      'create',
      'create',
      'create',
      'resolve',
    ]);
  });

  test('an event keeps its id until it is resolved, and the next event has another id', () => {
    expect(handled([CRITICAL, WARNING, OK, OK, CRITICAL, OK], ({ id }) => id)).toEqual([
      'id-1',
      'id-1',
      'id-1',
      undefined,
      'id-2',
      'id-2',
    ]);
  });

  test('an event is stored only while it is open', () => {
    const [opened, resolved] = processResults([CRITICAL, OK]);
    expect(opened?.state.event).toBe(opened?.event);
    expect(resolved?.state.event).toBeUndefined();
    expect(resolved?.event).toEqual({
      id: 'id-1',
      action: 'resolve',
      status: 0,
      occurrences: 1,
      watermark: 1,
      timestamp: 101,
      lastStateChange: 101,
      lastOk: 101,
      totalStateChange: 0,
      notifications: {},
    });
  });
});

describe('occurrences and watermark', () => {
  test.each<{
    name: string;
    results: ResultOrStatus[];
    occurrences: (number | undefined)[];
    watermarks: (number | undefined)[];
  }>([
    {
      name: 'of occurrences and watermark start again at another severity (completion 1.4)',
      results: [1, 1, 2, 2, 2, 1],
      occurrences: [1, 2, 1, 2, 3, 1],
      watermarks: [1, 2, 2, 2, 3, 3],
    },
    {
      name: 'of occurrences and watermark are part of the resolve and start again after it',
      results: [2, 2, 2, 1, 0, 2],
      occurrences: [1, 2, 3, 1, 1, 1],
      watermarks: [1, 2, 3, 3, 3, 1],
    },
    {
      name: 'of occurrences and watermark start at 1 after an OK',
      results: [0, 2, 2],
      occurrences: [undefined, 1, 2],
      watermarks: [undefined, 1, 2],
    },
  ])('the counts $name', ({ results, occurrences, watermarks }) => {
    expect(handled(results, (event) => event.occurrences)).toEqual(occurrences);
    expect(handled(results, (event) => event.watermark)).toEqual(watermarks);
  });
});

describe('the times of an event', () => {
  test('last_state_change is the time of the last change of status, including the resolve', () => {
    expect(handled([2, 2, 1, 1, 0], ({ lastStateChange }) => lastStateChange)).toEqual([100, 100, 102, 102, 104]);
  });

  test('last_state_change is absent in an event that opens without a change of status, and null in its repeats', () => {
    const results: ResultOrStatus[] = [{ status: 2, force_resolve: true }, 2, 2, 1];
    expect(handled(results, ({ lastStateChange }) => lastStateChange)).toEqual([undefined, undefined, null, 103]);
    expect(handled(results, ({ occurrences }) => occurrences)).toEqual([undefined, 2, 3, 1]);
  });

  test('last_ok is the execution time of the last OK result, and null before the first OK result', () => {
    expect(handled([2, 0, 0, 2, 2, 0], ({ lastOk }) => lastOk)).toEqual([null, 101, undefined, 102, 102, 105]);
    const late = handled([{ status: 0, executed: 7 }, 2], ({ lastOk }) => lastOk);
    expect(late).toEqual([undefined, 7]);
  });

  test('the attribute timestamp of an event is the time when the event was built', () => {
    expect(handled([2, 2, 0], ({ timestamp }) => timestamp)).toEqual([100, 101, 102]);
  });
});

describe('auto_resolve: false', () => {
  const common = { auto_resolve: false };

  test('auto_resolve: false keeps the event unchanged, however many OK results arrive', () => {
    const steps = processResults([CRITICAL, CRITICAL, OK, OK], common);
    expect(steps.map(({ kind }) => kind)).toEqual(['open', 'open', 'none', 'none']);
    expect(steps[3]?.state.event).toBe(steps[1]?.event);
    expect(statusesOf(steps[3]?.state.history ?? NO_CHECK_STATE.history)).toEqual([2, 2, 0, 0]);
    expect(steps[3]?.state.lastOk).toBe(103);
  });

  test('the next problem with auto_resolve: false keeps id and watermark of the event and counts from 1 again', () => {
    const events = processResults([CRITICAL, CRITICAL, OK, CRITICAL], common).map(({ event }) => event);
    expect(events[3]).toMatchObject({
      id: 'id-1',
      action: 'create',
      occurrences: 1,
      watermark: 2,
      lastStateChange: 103,
    });
  });

  test('force_resolve takes precedence over auto_resolve: false', () => {
    const results: ResultOrStatus[] = [CRITICAL, OK, { status: OK, force_resolve: true }];
    expect(processResults(results, common).map(({ kind }) => kind)).toEqual(['open', 'none', 'resolve']);
  });
});

const forced = (status: number): ResultOrStatus => ({ status, force_resolve: true });

describe('force_resolve', () => {
  test('force_resolve resolves the event whatever the status is, and keeps its counts (reference 3)', () => {
    const events = processResults([CRITICAL, CRITICAL, forced(CRITICAL)]);
    expect(events[2]).toMatchObject({
      kind: 'resolve',
      event: { id: 'id-1', action: 'resolve', occurrences: 2, watermark: 2, lastStateChange: 102 },
      state: { event: undefined },
    });
  });

  test('force_resolve has no effect without an open event', () => {
    expect(processResults([forced(OK), forced(CRITICAL)]).map(({ kind }) => kind)).toEqual(['none', 'none']);
  });

  test('force_resolve has an effect only if it is exactly true', () => {
    const results: ResultOrStatus[] = [CRITICAL, { status: CRITICAL, force_resolve: 'yes' }];
    expect(processResults(results).map(({ kind }) => kind)).toEqual(['open', 'open']);
  });
});

describe('a check of type metric', () => {
  const common = { type: 'metric' };

  // This behavior was recorded from Sensu Core (conformance, events, "metric type").
  test('a check of type metric is handled at every result, and its event is stored only for a problem', () => {
    const steps = processResults([OK, OK, CRITICAL, OK], common);
    expect(steps.map(({ kind }) => kind)).toEqual(['metric', 'metric', 'open', 'resolve']);
    expect(steps.map(({ state }) => state.event !== undefined)).toEqual([false, false, true, false]);
    expect(steps.map(({ event }) => event?.action)).toEqual(['create', 'create', 'create', 'resolve']);
    expect(steps.map(({ event }) => event?.occurrences)).toEqual([1, 1, 1, 1]);
    expect(steps.map(({ event }) => event?.lastStateChange)).toEqual([undefined, undefined, 102, 103]);
  });

  test('a check of type metric has a new event id for every OK result', () => {
    expect(handled([OK, OK], ({ id }) => id, common)).toEqual(['id-1', 'id-2']);
  });

  test('an OK result of a check of type metric with auto_resolve: false is handled, and the event stays open', () => {
    const steps = processResults([CRITICAL, OK], { ...common, auto_resolve: false });
    expect(steps[1]?.kind).toBe('metric');
    expect(steps[1]?.state.event).toBe(steps[0]?.event);
  });
});

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

describe('flapping', () => {
  const common = { low_flap_threshold: 5, high_flap_threshold: 20 };
  /** 21 results that end with an OK and a total state change of 101. */
  const upAndDown = Array.from({ length: HISTORY_LENGTH }, (_, index) => (index % 2 === 0 ? OK : CRITICAL));

  test('flapping starts after 21 results with enough changes of status, even if the last result is OK', () => {
    const steps = processResults(upAndDown, common);
    expect(steps.slice(-3).map(({ kind }) => kind)).toEqual(['resolve', 'open', 'open']);
    expect(steps.slice(-3).map(({ event }) => event?.action)).toEqual(['resolve', 'create', 'flapping']);
    expect(steps.at(-1)?.state.event).toMatchObject({ status: OK, totalStateChange: 101 });
  });

  test('flapping counts equal consecutive statuses, including OK', () => {
    const steps = processResults([...upAndDown, OK, OK, CRITICAL, CRITICAL], common).slice(-5);
    expect(steps.map(({ event }) => event?.action)).toEqual(times(5, 0).map(() => 'flapping'));
    expect(steps.map(({ event }) => event?.occurrences)).toEqual([1, 2, 3, 1, 2]);
    expect(steps.map(({ event }) => event?.watermark)).toEqual([1, 2, 3, 3, 3]);
    expect(steps.map(({ event }) => event?.lastStateChange)).toEqual([120, 120, 120, 123, 123]);
    expect(new Set(steps.map(({ event }) => event?.id)).size).toBe(1);
  });

  test('flapping ends with a resolve if the last result is OK', () => {
    const steps = processResults([...upAndDown, ...times(30, OK)], common).slice(HISTORY_LENGTH);
    const kinds = steps.map(({ kind }) => kind);
    const end = kinds.indexOf('resolve');
    // When the last changes leave the history, the total state change is 4, which is not above the low threshold of 5.
    expect(kinds).toEqual([...times(end, 0).map(() => 'open'), 'resolve', ...times(29 - end, 0).map(() => 'none')]);
    expect(steps[end]?.event).toMatchObject({ action: 'resolve', totalStateChange: 4 });
    expect(steps[end - 1]?.event).toMatchObject({ action: 'flapping', totalStateChange: 8 });
  });

  test('a flapping event becomes an ordinary problem when its check stays critical', () => {
    const steps = processResults([...upAndDown, ...times(30, CRITICAL)], common);
    const actions = steps.map(({ event }) => event?.action).slice(HISTORY_LENGTH);
    const end = actions.indexOf('create');
    expect(actions).toEqual([...times(end, 0).map(() => 'flapping'), ...times(30 - end, 0).map(() => 'create')]);
    expect(steps.at(-1)?.event?.occurrences).toBe(30);
  });

  test('force_resolve ends flapping until the next OK result starts flapping again', () => {
    const steps = processResults([...upAndDown, OK, { status: OK, force_resolve: true }, OK], common).slice(-4);
    expect(steps.map(({ event }) => event?.action)).toEqual(['flapping', 'flapping', 'resolve', 'flapping']);
    expect(steps[2]).toMatchObject({ kind: 'resolve', event: { occurrences: 2 }, state: { event: undefined } });
    expect(steps[3]?.event?.id).not.toBe(steps[2]?.event?.id);
  });

  test('flapping detection requires both thresholds', () => {
    const steps = processResults(upAndDown, { high_flap_threshold: 20 });
    expect(steps.at(-1)?.event?.action).toBe('resolve');
  });
});

/** Returns the event that was stored before each step, or `undefined` if there was none. */
const storedBefore = (steps: readonly Step[]): (EventState | undefined)[] =>
  steps.map((_, index) => steps[index - 1]?.state.event);

describe('any sequence of results', () => {
  const attributes = fc.record(
    {
      status: fc.constantFrom(0, 0, 0, 1, 2, 2, 3, 127),
      type: fc.constantFrom('standard', 'metric'),
      auto_resolve: fc.boolean(),
      force_resolve: fc.oneof(
        { weight: 9, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
      low_flap_threshold: fc.constantFrom(5, 10),
      high_flap_threshold: fc.constantFrom(20, 40),
    },
    { requiredKeys: ['status'] },
  );
  /** Results of one check. Attributes may change between them, as when the definition changes. */
  const story = fc.array(attributes, { maxLength: 70 });

  const always = (check: (steps: readonly Step[], results: readonly Partial<DecidingResult>[]) => void): void => {
    fc.assert(
      fc.property(story, (results) => check(processResults(results), results)),
      { numRuns: propertyRuns(300) },
    );
  };

  test('a resolve always follows an open event and never another resolve', () => {
    always((steps) => {
      const kinds = steps.map(({ kind }) => kind).filter((kind) => kind === 'open' || kind === 'resolve');
      expect(kinds.join(' ')).not.toMatch(/^resolve|resolve resolve/);
    });
  });

  test('the id of an event exists exactly as long as the event', () => {
    always((steps) => {
      const stored = storedBefore(steps);
      const given = steps.map(({ event }, index) => ({ id: event?.id, before: stored[index]?.id }));
      const handledOnes = given.filter(({ id }) => id !== undefined);
      const continued = handledOnes.filter(({ before }) => before !== undefined);
      expect(continued.map(({ id }) => id)).toEqual(continued.map(({ before }) => before));
      const opened = handledOnes.filter(({ before }) => before === undefined).map(({ id }) => id);
      expect(new Set(opened).size).toBe(opened.length);
    });
  });

  test('an event is stored after every result that is not OK, except after a forced resolve', () => {
    always((steps, results) => {
      const isForced = (index: number): boolean => results[index]?.force_resolve === true;
      const problems = results.flatMap(({ status }, index) => (status === OK || isForced(index) ? [] : [index]));
      expect(problems.map((index) => steps[index]?.state.event?.status)).toEqual(
        problems.map((index) => results[index]?.status),
      );
      expect(steps.filter(({ state }, index) => isForced(index) && state.event !== undefined)).toEqual([]);
    });
  });

  test('occurrences are at least 1 and at most the watermark, which never falls while the event is open', () => {
    always((steps) => {
      const stored = storedBefore(steps);
      const wrong = steps.filter(
        ({ event }, index) =>
          event !== undefined &&
          !(
            event.occurrences >= 1 &&
            event.occurrences <= event.watermark &&
            event.watermark >= (stored[index]?.watermark ?? 1)
          ),
      );
      expect(wrong).toEqual([]);
    });
  });

  test('the occurrences of an open event count the equal statuses at the end of the history', () => {
    const plain = fc.array(fc.constantFrom(0, 1, 2, 3), { maxLength: 40 });
    fc.assert(
      fc.property(plain, (statuses) => {
        const repeats = statuses.map((status, index) => {
          const until = statuses.slice(0, index + 1);
          return status === OK ? undefined : index - until.findLastIndex((each) => each !== status);
        });
        const opened = processResults(statuses).map(({ kind, event }) =>
          kind === 'open' ? event?.occurrences : undefined,
        );
        expect(opened).toEqual(repeats);
      }),
    );
  });

  test('the history contains the statuses of all results, and last_ok is the time of the last OK result', () => {
    always((steps, results) => {
      const statuses = results.map(({ status }) => status);
      expect(steps.map(({ state }) => statusesOf(state.history))).toEqual(
        statuses.map((_, index) => statuses.slice(0, index + 1).slice(-HISTORY_LENGTH)),
      );
      const lastOks = statuses.map((_, index) => statuses.slice(0, index + 1).lastIndexOf(OK));
      expect(steps.map(({ state }) => state.lastOk)).toEqual(lastOks.map((at) => (at === -1 ? null : 100 + at)));
    });
  });
});
