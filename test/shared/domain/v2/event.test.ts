import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { v2EntityOf } from '../../../../shared/domain/v2/entity.ts';
import { v2EventOf, entityOfEvent, resultOfEvent } from '../../../../shared/domain/v2/event.ts';
import { nextCheckState, NO_CHECK_STATE, type CheckState } from '../../../../shared/domain/event.ts';
import { checkResultOf } from '../../../../shared/domain/result.ts';
import type { V2Event } from '../../../../shared/schemas/v2/event.ts';
import { v2EventSchema } from '../../../../shared/schemas/v2/event.ts';
import { resultSchema, type SubmittedResult } from '../../../../shared/schemas/result.ts';

const NOW = 1_800_000_000;
const ENTITY = v2EntityOf('default', {
  name: 'web-01',
  address: '10.0.0.7',
  subscriptions: ['client:web-01'],
  timestamp: NOW,
  version: '1.9.0',
});

/** Returns the result that the body of an event request contains. */
function resultOf(body: unknown): SubmittedResult {
  return resultOfEvent(v2EventSchema.parse(body), { entity: 'web-01', check: 'cpu' });
}

/** Returns the event after these results, which are a minute apart and end at `NOW`. */
function eventAfter(statuses: readonly number[], attributes: Record<string, unknown> = {}): V2Event {
  let state: CheckState = NO_CHECK_STATE;
  let check = checkOf(0, NOW, attributes);
  statuses.forEach((status, at) => {
    const now = NOW - 60 * (statuses.length - 1 - at);
    check = checkOf(status, now, attributes);
    state = nextCheckState(state, check, { now, newId: () => 'event-1' }).state;
  });
  const parts = { id: state.event?.id ?? 'result-1', namespace: 'default', entity: ENTITY, silenced: [] };
  return v2EventOf({ ...parts, check, history: state.history, state });
}

function checkOf(status: number, now: number, attributes: Record<string, unknown>) {
  const submitted = { name: 'cpu', output: 'busy', status, executed: now, ...attributes };
  return checkResultOf(submitted, { reporter: 'web-01', definition: undefined, now, issued: undefined });
}

describe('the last result of a check as an event', () => {
  test('the v2 event of a failing result has the counts of the open event', () => {
    const attributes = { handlers: ['slack'], subscribers: ['linux', 'client:web-01'], interval: 60, duration: 0.25 };
    const { check, ...event } = eventAfter([0, 2, 2], attributes);
    expect(event).toEqual({
      id: 'event-1',
      metadata: {},
      timestamp: NOW,
      entity: ENTITY,
      sequence: 0,
    });
    expect(check).toEqual({
      metadata: { name: 'cpu', namespace: 'default' },
      status: 2,
      output: 'busy',
      state: 'failing',
      executed: NOW,
      issued: NOW,
      duration: 0.25,
      history: [
        { status: 2, executed: 0 },
        { status: 2, executed: NOW },
      ],
      occurrences: 2,
      occurrences_watermark: 2,
      last_ok: NOW - 120,
      total_state_change: 0,
      is_silenced: false,
      handlers: ['slack'],
      subscriptions: ['linux', 'entity:web-01'],
      proxy_entity_name: '',
      interval: 60,
      timeout: 0,
      ttl: 0,
      low_flap_threshold: 0,
      high_flap_threshold: 0,
      subdue: null,
      publish: false,
      round_robin: false,
      stdin: false,
      runtime_assets: null,
      check_hooks: null,
      output_metric_format: '',
      output_metric_handlers: null,
      env_vars: null,
      secrets: null,
      scheduler: '',
    });
  });

  test('the v2 event of a resolving result has one occurrence and the watermark of the problem', () => {
    expect(eventAfter([0, 2, 2, 2, 0]).check).toMatchObject({ occurrences: 1, occurrences_watermark: 3 });
    expect(eventAfter([0, 2, 2, 2, 0, 0, 0, 0]).check).toMatchObject({ occurrences: 4, occurrences_watermark: 4 });
    expect(eventAfter([0, 2, 2, 0, 1, 0]).check).toMatchObject({ occurrences: 1, occurrences_watermark: 1 });
  });

  test.each([
    { statuses: [0, 0, 0], state: 'passing', occurrences: 2 },
    { statuses: [2, 0], state: 'passing', occurrences: 1 },
    { statuses: [0, 1], state: 'failing', occurrences: 1 },
    { statuses: [2, 2, 1], state: 'failing', occurrences: 1 },
    { statuses: [0], state: 'passing', occurrences: 1 },
  ])(
    'the history $statuses yields a v2 event with the state $state and $occurrences occurrences',
    ({ statuses, state, occurrences }) => {
      expect(eventAfter(statuses).check).toMatchObject({ state, occurrences });
    },
  );

  test('a check whose status changes all the time has the state flapping in its v2 event', () => {
    const statuses = Array.from({ length: 21 }, (_, at) => (at % 2) * 2);
    const { check } = eventAfter(statuses, { low_flap_threshold: 10, high_flap_threshold: 20 });
    expect(check).toMatchObject({ state: 'flapping', status: 0, low_flap_threshold: 10, high_flap_threshold: 20 });
    expect(check.total_state_change).toBeGreaterThan(20);
  });

  test('the v2 event of a result has the types that v2 clients expect, whatever the result contains', () => {
    const odd = { env_vars: 'PATH=x', stdin: 'yes', command: 7, ttl: false, hooks: { critical: { output: 'ps' } } };
    const { check } = eventAfter([-1], { ...odd, subdue: { begin: 'now' }, secrets: [{ name: 'a' }], team: 'ops' });
    expect(check).not.toHaveProperty('command');
    expect(check).toMatchObject({ env_vars: null, stdin: false });
    expect(check).toMatchObject({ ttl: 0, subdue: null, status: 3, secrets: [{ name: 'a' }], team: 'ops' });
    expect(check['hooks']).toEqual([{ metadata: { name: 'critical', namespace: 'default' }, output: 'ps' }]);
  });
});

describe('an event of the v2 API as a result', () => {
  test('the result of a v2 event has the attributes of the event, except attributes that the backend sets', () => {
    const result = resultOf({
      timestamp: NOW,
      check: {
        metadata: { name: 'cpu', namespace: 'default', labels: { team: 'a' }, annotations: {} },
        status: 2,
        output: 'busy',
        executed: NOW - 7,
        issued: NOW - 8,
        duration: 1.5,
        handlers: ['slack'],
        subscriptions: ['linux', 'entity:web-01'],
        interval: 60,
        timeout: 0,
        ttl: 120,
        command: 'check-cpu',
        low_flap_threshold: 0,
        high_flap_threshold: 0,
        proxy_entity_name: '',
        history: [{ status: 1, executed: 5 }],
        occurrences: 9,
        state: 'failing',
        is_silenced: true,
        silenced: ['linux:*'],
        hooks: null,
        subdue: null,
        team: 'ops',
      },
    });
    expect(result).toEqual({
      name: 'cpu',
      status: 2,
      output: 'busy',
      executed: NOW - 7,
      issued: NOW - 8,
      duration: 1.5,
      handlers: ['slack'],
      subscribers: ['linux', 'client:web-01'],
      interval: 60,
      ttl: 120,
      command: 'check-cpu',
      metadata: { labels: { team: 'a' } },
      event_metadata: { timestamp: NOW },
      team: 'ops',
    });
    expect(resultSchema.safeParse(result).success).toBe(true);
  });

  test('the result of a v2 event was executed at the time of the event unless its check says otherwise', () => {
    expect(resultOf({ timestamp: NOW, check: {} })).toMatchObject({ executed: NOW });
    expect(resultOf({ check: { executed: 0 } })).not.toHaveProperty('executed');
  });

  test('the result of a v2 event with metrics is handled whatever its status is', () => {
    const metrics = { handlers: ['influx'], points: [{ name: 'cpu', value: 0.5, timestamp: NOW, tags: null }] };
    expect(resultOf({ check: { handlers: ['slack'] }, metrics })).toMatchObject({
      type: 'metric',
      handlers: ['slack', 'influx'],
      metrics,
    });
    expect(resultOf({ check: {}, metrics: { handlers: [], points: [] } })).not.toHaveProperty('type');
  });

  test('the result of a v2 event with a proxy entity belongs to the proxy entity', () => {
    expect(resultOf({ check: { proxy_entity_name: 'router-1' } })).toMatchObject({ source: 'router-1' });
    expect(resultOf({ check: { proxy_entity_name: 'web-01' } })).not.toHaveProperty('source');
  });

  test('the result of a v2 event cannot contain force_resolve', () => {
    expect(resultOf({ check: { force_resolve: true, standalone: true, source: 'x' } })).toEqual({
      name: 'cpu',
      status: 0,
      output: '',
      event_metadata: { executed: 0, issued: 0 },
    });
  });

  test('the entity of a v2 event is read from the event', () => {
    const event = v2EventSchema.parse({ entity: { entity_class: 'agent', metadata: { labels: { a: 'b' } } } });
    expect(entityOfEvent(event, 'web-01')).toEqual({
      entity_class: 'agent',
      metadata: { name: 'web-01', labels: { a: 'b' } },
    });
  });

  test.each([
    { check: { status: 'ok' } },
    { check: { output: 5 } },
    { check: { executed: -1 } },
    { check: { handlers: [''] } },
    { check: { metadata: { name: 'a b' } } },
    { entity: { metadata: { name: 'a b' } } },
    { metrics: { points: [{ name: 'x', value: '1' }] } },
  ])('the object %j is rejected as an event of the v2 API', (body) => {
    expect(v2EventSchema.safeParse(body).success).toBe(false);
  });
});

test('an event that is read from the v2 API and put back reports the same result', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 });
  fc.assert(
    fc.property(
      fc.record({
        status: fc.integer({ min: 0, max: 4 }),
        output: fc.string(),
        executed: fc.integer({ min: 1, max: NOW }),
        handlers: names,
        subscribers: names.map((all) => all.map((name) => `client:${name}`)),
        interval: fc.integer({ min: 1, max: 3600 }),
        ttl: fc.integer({ min: 1, max: 3600 }),
        duration: fc.double({ min: 0.001, max: 60, noNaN: true }),
        command: fc.string({ minLength: 1 }),
      }),
      ({ status, executed, ...attributes }) => {
        const check = checkOf(status, NOW, { executed, issued: executed, ...attributes });
        const { state } = nextCheckState(NO_CHECK_STATE, check, { now: NOW, newId: () => 'event-1' });
        const parts = { id: 'event-1', namespace: 'default', entity: ENTITY, silenced: [] };
        const shown = v2EventOf({ ...parts, check, history: state.history, state });
        const { type: _type, ...expected } = check;
        expect(resultOf(shown)).toMatchObject(expected);
      },
    ),
  );
});
