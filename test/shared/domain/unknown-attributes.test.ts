import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConditions } from '../../../shared/domain/attribute-conditions.ts';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { definitionWarnings } from '../../../shared/domain/v2/definition-warnings.ts';
import { eventSubjectOf } from '../../../shared/domain/v2/event-subject.ts';
import { ENTITY_SUBJECT, EVENT_SUBJECT, V1_EVENT, type Shape } from '../../../shared/domain/attribute-shapes.ts';
import { conditionWarnings, unknownAttributes } from '../../../shared/domain/unknown-attributes.ts';
import { v2CheckSchema } from '../../../shared/schemas/v2/check.ts';
import { v2EntitySchema } from '../../../shared/schemas/v2/entity.ts';
import { anEvent } from '../../support/an-event.ts';

const warningsOfFilter = (expression: string): string[] => definitionWarnings('filters', { expressions: [expression] });

const warningsOfCheck = (expression: string): string[] =>
  definitionWarnings('checks', { proxy_requests: { entity_attributes: [expression] } });

const nothing = (source: string, name: string, remedy: string): string =>
  `the expression ${JSON.stringify(source)} uses ${name}, ` +
  `which has no value unless the data contains an attribute of that name: ${remedy}`;

describe('filter expressions of the v2 API', () => {
  test.each<[expression: string, name: string, remedy: string]>([
    ['event.chek.status == 2', 'event.chek', 'did you mean event.check?'],
    ['event.check.stauts == 2', 'event.check.stauts', 'did you mean event.check.status?'],
    ["event.entity.lables.x == 'a'", 'event.entity.lables', 'did you mean event.entity.labels?'],
    [
      "event.entity.metadata.lables['x'] == 'a'",
      'event.entity.metadata.lables',
      'did you mean event.entity.metadata.labels?',
    ],
    ["event['entity']['clas'] == 'proxy'", 'event.entity.clas', 'remove it, or correct the name'],
    ["event.entity.system.hostnam == 'a'", 'event.entity.system.hostnam', 'did you mean event.entity.system.hostname?'],
    ['event.status == 2', 'event.status', 'did you mean event.check.status?'],
    ["entity.labels.x == 'a'", 'entity', 'did you mean event.entity?'],
    ['check.status == 2', 'check', 'did you mean event.check?'],
    ['evnt.check.status == 2', 'evnt', 'did you mean event?'],
    ["event.check.labels.x == 'a' && event.check.nothing", 'event.check.nothing', 'remove it, or correct the name'],
    ["event.check.outptu.indexOf('full') >= 0", 'event.check.outptu', 'did you mean event.check.output?'],
    ["['a', 'b'].indexOf(event.check.nam) >= 0", 'event.check.nam', 'did you mean event.check.name?'],
    ["typeof event.metricz !== 'undefined'", 'event.metricz', 'did you mean event.metrics?'],
    ['event.check[event.chek.name] == 1', 'event.chek', 'did you mean event.check?'],
    ['var c = event.check; c.stauts == 2', 'event.check.stauts', 'did you mean event.check.status?'],
    [
      '[1].some(function (x) { return x == event.check.stauts })',
      'event.check.stauts',
      'did you mean event.check.status?',
    ],
    ['event.check.status > 0 ? event.check.stauts : 0', 'event.check.stauts', 'did you mean event.check.status?'],
    ['hour(event.timestmap) > 9', 'event.timestmap', 'did you mean event.timestamp?'],
    ['new Date(event.timestmap * 1000).getUTCHours() > 9', 'event.timestmap', 'did you mean event.timestamp?'],
    ['event.constructor == 1', 'event.constructor', 'remove it, or correct the name'],
    // The same mistakes in expressions in the Ruby style of Sensu Core.
    ['event.check.outptu =~ /full/', 'event.check.outptu', 'did you mean event.check.output?'],
    ["event.check.handlers.include?('a') && event.chek.name", 'event.chek', 'did you mean event.check?'],
    [':::event.chek.name::: =~ /full/', 'event.chek', 'did you mean event.check?'],
  ])('the filter expression %s causes a warning of an unknown attribute', (expression, name, remedy) => {
    expect(warningsOfFilter(expression)).toEqual([nothing(expression, name, remedy)]);
  });

  test.each([
    "event.check.labels.anything == 'a' && event.entity.annotations['any.thing/else']",
    'event.check.metadata.labels.hasOwnProperty("x")',
    'event.check.occurrences % (3600 / event.check.interval) == 0',
    'event.id.length == 16 && event.check.subscriptions.length > 0 && event.check.history[0].status == 0',
    'event.entity.subscriptions.some(function (event) { return event.anything })',
    'var event = 1; event.anything',
    'var name = event.check.labels[event.check.name]; name.anything.at.all',
    'sensu.anything || NaN || isNaN(1) || Math.floor(1.5) || JSON.stringify(event) || Object.keys(event.check)',
    'event.check[event.check.name].whatever',
    'event.metrics.points[0].tags && event.pipelines && event.silence_ended',
    'event.is_incident && !event.is_silenced && event.has_check',
    "event.check.output =~ /full/ && ':::event.check.name:::' == 'a'",
    'this is no expression at all',
  ])('the filter expression %s causes no warning', (expression) => {
    expect(warningsOfFilter(expression)).toEqual([]);
  });

  test('every attribute that the recorded filters of Sensu Go use is known', () => {
    const asked = readFileSync(join(import.meta.dirname, '../../conformance/data/core.jsonl'), 'utf8').matchAll(
      /\bevent\.(?:check|entity)?[\w.]*/g,
    );
    const unknown = unknownAttributes(
      [...asked].map(([path]) => path.replace(/\.(?:indexOf|match|hasOwnProperty|length)$|\.$/, '').split('.')),
      EVENT_SUBJECT,
    );
    expect(unknown.map(({ path }) => path.join('.'))).toEqual(['event.check.nosuch']);
  });
});

describe('expressions of proxy requests', () => {
  test.each<[expression: string, name: string, remedy: string]>([
    ["entity.lables.x == 'a'", 'entity.lables', 'did you mean entity.labels?'],
    ["entity.class == 'proxy'", 'entity.class', 'remove it, or correct the name'],
    ['event.check.status == 0', 'event', 'remove it, or correct the name'],
  ])('the proxy request %s causes a warning of an unknown attribute', (expression, name, remedy) => {
    expect(warningsOfCheck(expression)).toEqual([nothing(expression, name, remedy)]);
  });

  test('a proxy request with known attributes has no warning', () => {
    const expression =
      "entity.entity_class == 'proxy' && entity.labels.x && entity.name != 'a' && entity.metadata.name";
    expect(warningsOfCheck(expression)).toEqual([]);
  });
});

test('an expression causes one warning for each unknown name, and long names are truncated', () => {
  const twice = 'event.chek.status == 1 || event.chek.status == 2';
  const long = `event.${'x'.repeat(500)} == 1`;
  expect(definitionWarnings('filters', { expressions: [twice, 'event.check', long] })).toEqual([
    nothing(twice, 'event.chek', 'did you mean event.check?'),
    nothing(`event.${'x'.repeat(94)}…`, `event.${'x'.repeat(94)}…`, 'remove it, or correct the name'),
  ]);
});

test.each(['handlers', 'mutators', 'hooks'])('the definitions of %s are not checked for expressions', (kind) => {
  expect(definitionWarnings(kind, { expressions: ['event.chek'] })).toEqual([]);
});

const warningsOf = (attributes: Attributes): object[] => {
  const conditions = parseConditions(attributes);
  if (conditions.kind === 'problems') throw new Error(JSON.stringify(conditions.problems));
  return conditionWarnings(conditions, V1_EVENT).map(({ path, message }) => [
    path.join('.'),
    message.split(',')[0],
    message.split(': ').at(-1),
  ]);
};

describe('filters of the v1 API', () => {
  test.each<{ name: string; attributes: Attributes; expected: object[] }>([
    {
      name: 'an unknown part of an event',
      attributes: { chek: { status: 2 } },
      expected: [['chek.status', 'uses chek', 'did you mean check?']],
    },
    {
      name: 'a check attribute outside of check',
      attributes: { status: 2, occurrences: 1 },
      expected: [['status', 'uses status', 'remove it, or correct the name']],
    },
    {
      name: 'an unknown attribute in a token',
      attributes: { occurrences: 'eval: value > :::chek.occurrences|60:::' },
      expected: [['occurrences', 'uses chek', 'did you mean check?']],
    },
    {
      name: 'attributes of events and custom attributes of clients and checks',
      attributes: {
        client: { environment: 'production', tags: { of: { any: 'depth' } } },
        check: { team: "eval: value == ':::client.team:::' || ':::check.anything.else:::' == ':::action:::'" },
        action: 'create',
        silenced: false,
        timestamp: 'eval: value > 0',
      },
      expected: [],
    },
  ])('a filter of the v1 API causes the right warnings for $name', ({ attributes, expected }) => {
    expect(warningsOf(attributes)).toEqual(expected);
  });

  test('a filter of the v1 API may use every attribute of an event', () => {
    expect(warningsOf({ ...anEvent(), check: {}, client: {} })).toEqual([]);
  });
});

const unknownOf = (value: unknown, shape: Shape): string[] =>
  unknownAttributes([...pathsIn(value, [])], shape).map(({ path }) => path.join('.'));

describe('known attributes', () => {
  test('every attribute of an event in the form that filters get is known', () => {
    const event = eventSubjectOf('default', anEvent({ check: { name: 'disk', handlers: ['a'], ttl: 60 } }));
    // The client of the event has `environment` as a custom attribute, which is not known.
    expect(unknownOf({ event }, EVENT_SUBJECT)).toEqual(['event.entity.environment']);
  });

  test('every attribute of a check definition is known, except attributes that no event has', () => {
    const names = Object.keys(v2CheckSchema.shape).map((name) => ['event', 'check', name]);
    expect(unknownAttributes(names, EVENT_SUBJECT).map(({ path }) => path.at(-1))).toEqual(['proxy_requests', 'mon']);
  });

  test('every attribute of an entity definition is known', () => {
    const names = Object.keys(v2EntitySchema.shape).map((name) => ['entity', name]);
    expect(unknownAttributes(names, ENTITY_SUBJECT)).toEqual([]);
  });
});

function* pathsIn(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  yield path;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, inner] of Object.entries(value)) yield* pathsIn(inner, [...path, name]);
}
