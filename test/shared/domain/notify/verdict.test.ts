import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFilter } from '../../../../shared/domain/filter-event.ts';
import {
  handlerNames,
  routeHandlers,
  type HandlingDefinitions,
  type RoutedHandler,
} from '../../../../shared/domain/notify/route.ts';
import type { StageInputs } from '../../../../shared/domain/notify/notification-context.ts';
import {
  leadsToRun,
  evaluateStages as judgeHandler,
  wouldRunWithoutSilence,
} from '../../../../shared/domain/notify/verdict.ts';
import type { HandlerVerdict } from '../../../../shared/schemas/explain.ts';
import { filterSchema } from '../../../../shared/schemas/filter.ts';
import { handlerSchema, type HandlerDefinition } from '../../../../shared/schemas/handler.ts';
import { anEvent, type EventChanges } from '../../../support/an-event.ts';

const pipe = (attributes: object = {}): HandlerDefinition =>
  handlerSchema.parse({ type: 'pipe', command: 'true', ...attributes });
const set = (...handlers: string[]): HandlerDefinition => ({ type: 'set', handlers });

const FILTERS: Readonly<Record<string, unknown>> = {
  production: { attributes: { client: { environment: 'production' } } },
  staging: { attributes: { client: { environment: 'staging' } } },
  broken: { attributes: { action: 'eval: value > 1' }, negate: true },
  unmatched: { attributes: { action: 'eval: :::nope:::' } },
  unsilenced: { attributes: { silenced: false } },
};

function definitionsOf(handlers: Readonly<Record<string, HandlerDefinition>>): HandlingDefinitions {
  return {
    handler: (name) => (Object.hasOwn(handlers, name) ? handlers[name] : undefined),
    filter(name) {
      if (!Object.hasOwn(FILTERS, name)) return undefined;
      const filter = parseFilter(filterSchema.parse(FILTERS[name]));
      return filter.kind === 'filter' ? filter : undefined;
    },
    mutator: (name) => (name === 'wrap' ? { command: 'cat' } : undefined),
  };
}

describe('the handlers that a check names (v1 API, state machine)', () => {
  test.each<{ name: string; check: Record<string, unknown>; names: string[] }>([
    {
      name: 'handlers takes precedence over handler',
      check: { handler: 'a', handlers: ['b', 'c'] },
      names: ['b', 'c'],
    },
    { name: 'an empty list of handlers runs no handler', check: { handler: 'a', handlers: [] }, names: [] },
    { name: 'a check without handler and handlers runs default', check: {}, names: ['default'] },
    { name: 'null counts as absent', check: { handler: null, handlers: null }, names: ['default'] },
    {
      name: 'contacts run in addition to handlers',
      check: { handler: 'a', contacts: ['ops', 'dev'] },
      names: ['a', 'ops', 'dev'],
    },
    { name: 'contacts takes precedence over contact', check: { contact: 'boss', contacts: ['ops'] }, names: ['ops'] },
    { name: 'a contact replaces the handler default', check: { contact: 'ops' }, names: ['ops'] },
    {
      name: 'a contact runs even with an empty list of handlers',
      check: { handlers: [], contact: 'ops' },
      names: ['ops'],
    },
    {
      name: 'values that are not names are ignored',
      check: { handlers: ['a', 7, null], contacts: [{}] },
      names: ['a'],
    },
  ])('the handlers of a check follow its attributes: $name', ({ check, names }) => {
    expect(handlerNames(check)).toEqual(names);
  });

  test('a check has at most a hundred handlers', () => {
    const handlers = Array.from({ length: 5000 }, (_, at) => `h${String(at)}`);
    expect(handlerNames({ handlers })).toEqual(handlers.slice(0, 100));
  });
});

describe('the routing of handler names', () => {
  const definitions = definitionsOf({
    file: pipe(),
    crit: pipe(),
    loud: pipe(),
    group: set('file', 'crit'),
    deep: set('group', 'loud'),
    deeper: set('deep', 'loud'),
    self: set('self', 'file'),
    empty: set(),
  });
  const lead = (...names: string[]): string[] =>
    routeHandlers(names, definitions).map(({ kind, name }) => (kind === 'handler' ? name : `${kind} ${name}`));

  test.each<{ name: string; names: string[]; routed: string[] }>([
    { name: 'a set is replaced by its members', names: ['group'], routed: ['file', 'crit'] },
    { name: 'a set may contain a set', names: ['deep'], routed: ['file', 'crit', 'loud'] },
    { name: 'a set in a set may not contain a set', names: ['deeper'], routed: ['nested_set group', 'loud'] },
    { name: 'a set may not contain itself', names: ['self'], routed: ['nested_set self', 'file'] },
    { name: 'a handler that is named twice runs once', names: ['file', 'group', 'file'], routed: ['file', 'crit'] },
    {
      name: 'an unknown handler is reported once',
      names: ['nope', 'file', 'nope'],
      routed: ['unknown_handler nope', 'file'],
    },
    {
      name: 'debug and deregistration are built in',
      names: ['debug', 'deregistration'],
      routed: ['debug', 'deregistration'],
    },
    { name: 'an empty set runs no handler', names: ['empty'], routed: [] },
    {
      name: 'a member name of JavaScript objects is an unknown handler',
      names: ['constructor'],
      routed: ['unknown_handler constructor'],
    },
  ])('the handler names of a check are resolved: $name', ({ names, routed }) => {
    expect(lead(...names)).toEqual(routed);
  });

  test('a handler definition overrides a built-in handler of the same name', () => {
    const debug = pipe();
    const [handler] = routeHandlers(['debug'], definitionsOf({ debug }));
    expect(handler).toEqual({ kind: 'handler', name: 'debug', definition: debug });
  });

  test('handler sets of any shape are resolved to each handler name once', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const definition = fc.oneof(
      fc.constant(pipe()),
      fc.array(name, { maxLength: 4 }).map((names) => set(...names)),
    );
    fc.assert(
      fc.property(fc.dictionary(name, definition), fc.array(name, { maxLength: 5 }), (handlers, names) => {
        const routed = routeHandlers(names, definitionsOf(handlers)).map((handler) => handler.name);
        expect(new Set(routed).size).toBe(routed.length);
      }),
    );
  });
});

const MOMENT = { nowMs: Date.parse('2026-11-20T12:00:00Z'), zone: 'UTC' };

function stageInputsWith(handlers: Readonly<Record<string, HandlerDefinition>> = {}): StageInputs {
  return {
    namespace: 'default',
    definitions: definitionsOf(handlers),
    events: { has: (client, check) => client === 'db-1' && check === 'disk', hasOfSubscription: () => false },
    moment: MOMENT,
  };
}

const handlerWith = (attributes: object): RoutedHandler => ({
  kind: 'handler',
  name: 'mail',
  definition: handlerSchema.parse({ type: 'pipe', command: 'true', ...attributes }) as RoutedRunning,
});
type RoutedRunning = NonNullable<Extract<RoutedHandler, { kind: 'handler' }>['definition']>;

const judge = (attributes: object, changes: EventChanges): HandlerVerdict =>
  judgeHandler(handlerWith(attributes), anEvent(changes), stageInputsWith());

const isSuppressed = (handler: object, event: EventChanges = {}): boolean =>
  wouldRunWithoutSilence(handlerWith(handler), anEvent({ ...SILENCED, ...event }), stageInputsWith());

const severity = (status: number): string => ['ok', 'warning', 'critical'][status] ?? 'unknown';

const SILENCED: EventChanges = { silenced: true, silenced_by: ['web:*', '*:disk'] };
const FLAPPING: EventChanges = { action: 'flapping' };
const resolved = (...history: string[]): EventChanges => ({ action: 'resolve', check: { status: 0, history } });

describe('the verdict of a handler (completion 1.8)', () => {
  test.each<{ name: string; handler: object; event: EventChanges; verdict: string }>([
    { name: 'an event that nothing suppresses is handled', handler: {}, event: {}, verdict: 'handle' },
    {
      name: 'a check with handle: false is not handled',
      handler: {},
      event: { check: { handle: false } },
      verdict: 'disabled',
    },
    {
      name: 'only the value false of handle disables handling',
      handler: {},
      event: { check: { handle: 'no' } },
      verdict: 'handle',
    },
    { name: 'a flapping event is not handled', handler: {}, event: FLAPPING, verdict: 'action' },
    {
      name: 'a flapping event is handled with handle_flapping',
      handler: { handle_flapping: true },
      event: FLAPPING,
      verdict: 'handle',
    },
    { name: 'a silenced event is not handled', handler: {}, event: SILENCED, verdict: 'silenced' },
    {
      name: 'a silenced event is handled with handle_silenced',
      handler: { handle_silenced: true },
      event: SILENCED,
      verdict: 'handle',
    },
    {
      name: 'a silenced resolve is not handled',
      handler: {},
      event: { ...SILENCED, ...resolved('2', '0') },
      verdict: 'silenced',
    },
    {
      name: 'an event of a listed severity is handled',
      handler: { severities: ['critical'] },
      event: {},
      verdict: 'handle',
    },
    {
      name: 'an event of a severity that is not listed is not handled',
      handler: { severities: ['warning'] },
      event: {},
      verdict: 'severity',
    },
    {
      name: 'no event is handled with an empty list of severities',
      handler: { severities: [] },
      event: {},
      verdict: 'severity',
    },
    ...[3, 99, 255, -1, -2].map((status) => ({
      name: `status ${String(status)} is unknown`,
      handler: { severities: ['unknown'] },
      event: { check: { status } },
      verdict: 'handle',
    })),
    {
      name: 'a resolve is handled if any status since the last OK has a listed severity',
      handler: { severities: ['critical'] },
      event: resolved('0', '2', '0', '1', '0'),
      verdict: 'handle',
    },
    {
      name: 'a resolve is not handled without a status of a listed severity',
      handler: { severities: ['critical'] },
      event: resolved('1', '0'),
      verdict: 'severity',
    },
    {
      name: 'a resolve is handled after a status above 3 if unknown is listed',
      handler: { severities: ['unknown'] },
      event: resolved('127', '0'),
      verdict: 'handle',
    },
    {
      name: 'an OK result of a metric check is handled if ok is listed',
      handler: { severities: ['ok'] },
      event: { check: { status: 0 } },
      verdict: 'handle',
    },
    {
      name: 'an event that the filter passes is handled',
      handler: { filter: 'production' },
      event: {},
      verdict: 'handle',
    },
    {
      name: 'an event that the filter rejects is not handled',
      handler: { filter: 'staging' },
      event: {},
      verdict: 'filtered',
    },
    {
      name: 'filters takes precedence over filter',
      handler: { filter: 'staging', filters: ['production'] },
      event: {},
      verdict: 'handle',
    },
    {
      name: 'an empty list of filters passes every event',
      handler: { filter: 'staging', filters: [] },
      event: {},
      verdict: 'handle',
    },
    { name: 'a defined mutator is accepted', handler: { mutator: 'wrap' }, event: {}, verdict: 'handle' },
    { name: 'a built-in mutator is accepted', handler: { mutator: 'only_check_output' }, event: {}, verdict: 'handle' },
    { name: 'an unknown mutator is reported', handler: { mutator: 'nope' }, event: {}, verdict: 'unknown_mutator' },
    {
      name: 'the built-in filter occurrences applies',
      handler: { filter: 'occurrences' },
      event: { check: { occurrences: 3 } },
      verdict: 'filtered',
    },
    {
      name: 'the built-in filter check_dependencies applies',
      handler: { filter: 'check_dependencies' },
      event: { check: { dependencies: ['db-1/disk'] } },
      verdict: 'filtered',
    },
  ])('the verdict of a handler on an event is right: $name', ({ handler, event, verdict }) => {
    expect(judge(handler, event).verdict).toBe(verdict);
  });

  test('the first reason decides a verdict, in the order disabled, action, severity, silenced, filter', () => {
    const event = { ...SILENCED, ...FLAPPING, check: { handle: false } };
    const handler = { severities: ['ok'], filter: 'staging', mutator: 'nope' };
    const verdicts = [
      judge(handler, event),
      judge(handler, { ...event, check: {} }),
      judge({ ...handler, handle_flapping: true }, { ...event, check: {} }),
      judge({ ...handler, handle_flapping: true, severities: ['critical'] }, { ...event, check: {} }),
      judge({ ...handler, severities: ['critical'] }, {}),
      judge({ mutator: 'nope' }, {}),
    ].map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['disabled', 'action', 'severity', 'silenced', 'filtered', 'unknown_mutator']);
  });

  test('the verdict names the first filter that rejects an event and the deciding attribute', () => {
    expect(judge({ filters: ['production', 'staging', 'occurrences'] }, {})).toEqual({
      handler: 'mail',
      verdict: 'filtered',
      reason: 'filtered by staging: client.environment is not "staging"',
      filter: 'staging',
      attribute: 'client.environment',
    });
  });

  test('the verdict on a silenced event names its silences', () => {
    expect(judge({}, SILENCED)).toEqual({
      handler: 'mail',
      verdict: 'silenced',
      reason: 'silenced by web:*, *:disk, and the handler does not set handle_silenced: true',
      silenced_by: ['web:*', '*:disk'],
    });
  });

  test('an unknown filter passes the event, and a failing filter is reported', () => {
    expect(judge({ filters: ['nope', 'broken', 'unmatched'] }, {})).toMatchObject({
      verdict: 'filtered',
      filter: 'unmatched',
      defects: [
        { filter: 'nope', problem: 'unknown filter' },
        { filter: 'broken', problem: 'attribute value eval error' },
        { filter: 'unmatched', problem: 'attribute value eval unmatched tokens' },
      ],
    });
    expect(judge({ filter: 'nope' }, {})).toMatchObject({ verdict: 'handle', defects: [{ filter: 'nope' }] });
  });

  test('a built-in handler has no own conditions and depends only on the event', () => {
    const debug: RoutedHandler = { kind: 'handler', name: 'debug', definition: undefined };
    expect(judgeHandler(debug, anEvent(), stageInputsWith()).verdict).toBe('handle');
    expect(judgeHandler(debug, anEvent(SILENCED), stageInputsWith()).verdict).toBe('silenced');
    expect(judgeHandler(debug, anEvent(FLAPPING), stageInputsWith()).verdict).toBe('action');
  });

  test('a notification counts as suppressed by a silence only if nothing else prevents it', () => {
    expect(isSuppressed({})).toBe(true);
    expect(isSuppressed({ filter: 'unsilenced' })).toBe(true);
    expect(isSuppressed({ filter: 'staging' })).toBe(false);
    expect(isSuppressed({ severities: ['ok'] })).toBe(false);
    expect(isSuppressed({}, FLAPPING)).toBe(false);
  });
});

test('an event is handled if and only if nothing prevents it', () => {
  const anyHandler = fc.record(
    {
      severities: fc.subarray(['ok', 'warning', 'critical', 'unknown']),
      handle_silenced: fc.boolean(),
      handle_flapping: fc.boolean(),
      filters: fc.subarray(['production', 'staging', 'nope']),
    },
    { requiredKeys: [] },
  );
  const anyStatus = fc.constantFrom(0, 1, 2, 3, 99);
  fc.assert(
    fc.property(
      anyHandler,
      anyStatus,
      fc.array(anyStatus, { minLength: 1, maxLength: 21 }),
      fc.constantFrom('create' as const, 'flapping' as const, 'resolve' as const),
      fc.boolean(),
      (handler, status, history, action, silenced) => {
        const event = anEvent({
          action,
          silenced,
          silenced_by: silenced ? ['web:*'] : [],
          check: { status, history: history.map(String) },
        });
        const told = action === 'resolve' ? history : [status];
        const expected =
          (action !== 'flapping' || handler.handle_flapping === true) &&
          (handler.severities === undefined || told.some((one) => handler.severities?.includes(severity(one)))) &&
          (!silenced || handler.handle_silenced === true) &&
          handler.filters?.includes('staging') !== true;
        expect(leadsToRun(judgeHandler(handlerWith(handler), event, stageInputsWith()))).toBe(expected);
      },
    ),
  );
});
