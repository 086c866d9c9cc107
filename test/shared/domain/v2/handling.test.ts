import { describe, expect, test } from 'vitest';
import { v2EventFilterOf, judgeV2Filter } from '../../../../shared/domain/v2/filter.ts';
import { eventSubjectOf } from '../../../../shared/domain/v2/event-subject.ts';
import { v2HandledEvent } from '../../../../shared/domain/v2/handled-event.ts';
import { v2HandlerOf, handlerDefinitionOf } from '../../../../shared/domain/v2/handler.ts';
import { v2FilterSchema, type V2Filter } from '../../../../shared/schemas/v2/filter.ts';
import { v2HandlerSchema, type V2Handler } from '../../../../shared/schemas/v2/handler.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import { anEvent } from '../../../support/an-event.ts';

const metadata = { name: 'x', namespace: 'prod' };

function definitionOf(attributes: object): unknown {
  return handlerDefinitionOf(
    v2HandlerSchema.parse({ metadata, type: 'pipe', command: 'cat', ...attributes }) as V2Handler,
  );
}

describe('a handler of the v2 API', () => {
  test.each<[string, object, object]>([
    [
      'gets silenced events unless it says otherwise',
      {},
      { handle_silenced: true, handle_flapping: true, event_format: 'core', filters: [] },
    ],
    [
      'does not get silenced events with the filter not_silenced',
      { filters: ['is_incident', 'not_silenced'] },
      {
        handle_silenced: false,
        filters: ['is_incident'],
      },
    ],
    ['has an environment', { env_vars: ['A=b'] }, { env_vars: ['A=b'] }],
    [
      'sends to a socket',
      { type: 'tcp', command: '', socket: { host: 'h', port: 1 } },
      { type: 'tcp', socket: { port: 1 } },
    ],
    ['is a set', { type: 'set', command: null, handlers: ['a', 'b'] }, { type: 'set', handlers: ['a', 'b'] }],
    [
      'can have a type that only mon has',
      { mon: { type: 'webhook', url: 'https://hooks.example/x', severities: ['critical'] } },
      {
        type: 'webhook',
        url: 'https://hooks.example/x',
        severities: ['critical'],
      },
    ],
  ])('a handler of the v2 API %s', (_name, attributes, expected) => {
    expect(definitionOf(attributes)).toMatchObject(expected);
  });

  test.each<object>([
    { command: '' },
    { type: 'tcp', socket: null },
    { type: 'grpc' },
    { mon: { type: 'webhook' } },
    { mon: { concurrency: 0 } },
  ])('a handler of the v2 API is rejected: %j', (attributes) => {
    expect(v2HandlerSchema.safeParse({ metadata, type: 'pipe', command: 'cat', ...attributes }).success).toBe(false);
  });

  test('a handler of the v2 API with an invalid template is rejected', () => {
    const mon = { type: 'webhook', preset: 'ntfy', topic: 'alerts', templates: { title: '{{ severity' } };
    expect(definitionOf({ mon })).toEqual({
      problem: 'mon.templates.title: {{ needs a }} after its expression (character 1)',
    });
    expect(definitionOf({ mon: { ...mon, templates: { title: '{{ severity }}' } } })).toMatchObject({ preset: 'ntfy' });
  });

  test.each([{ type: 'set', handlers: [] }, { type: 'set' }, { env_vars: ['no variable'] }])(
    'a handler of the v2 API is accepted as Sensu Go accepts it: %j',
    (attributes) => {
      const parsed = v2HandlerSchema.safeParse({ metadata, type: 'pipe', command: 'cat', ...attributes });
      expect(parsed.success && 'problem' in handlerDefinitionOf(parsed.data as V2Handler)).toBe(false);
    },
  );

  test('a handler of the configuration is shown in the v2 API without its secrets', () => {
    const webhook = handlerSchema.parse({
      type: 'webhook',
      url: 'https://hooks.example/x',
      secret: 's',
      headers: { a: 'b' },
    });
    expect(v2HandlerOf('default', 'hook', webhook)).toMatchObject({
      metadata: { annotations: { 'mon/source': 'configuration' } },
      filters: ['not_silenced'],
      mon: { type: 'webhook', secret: 'REDACTED', headers: 'REDACTED' },
    });
  });
});

test('a handler of the v2 API gets events in the format of the v2 API', () => {
  const event = anEvent({
    action: 'resolve',
    occurrences: 3,
    occurrences_watermark: 3,
    check: { status: 0, history: ['0', '2', '0'], source: 'web-1', subscribers: ['client:web-1'] },
    silenced: true,
    silenced_by: ['client:web-1:*', '*:disk'],
  });
  expect(v2HandledEvent('prod', { ...event, silence_ended: true })).toMatchObject({
    entity: { metadata: { name: 'web-1', namespace: 'prod' }, subscriptions: ['web', 'entity:web-1'] },
    check: {
      metadata: { name: 'disk', namespace: 'prod' },
      state: 'passing',
      subscriptions: ['entity:web-1'],
      proxy_entity_name: 'web-1',
      history: [{ status: 2 }, { status: 0, executed: 1 }],
      occurrences: 1,
      occurrences_watermark: 3,
      is_silenced: true,
      silenced: ['*:disk', 'entity:web-1:*'],
    },
    silence_ended: true,
  });
});

describe('a filter of the v2 API', () => {
  const NOON = Date.parse('2026-11-20T12:00:00Z');
  const critical = anEvent({
    check: { status: 2, metadata: { labels: { team: 'ops' } }, interval: 60 },
    occurrences: 3,
  });

  function keepsOut(filter: object, event = critical): boolean | string {
    const parsed = v2EventFilterOf(v2FilterSchema.parse({ metadata, ...filter }) as V2Filter);
    if ('problem' in parsed) return parsed.problem;
    return judgeV2Filter(parsed, eventSubjectOf('prod', event), { nowMs: NOON, zone: 'Europe/Berlin' }).isFiltered;
  }

  test.each<[action: string, expressions: string[], isKeptOut: boolean]>([
    ['allow', ['event.check.status == 2'], false],
    ['allow', ['event.check.status === 1'], true],
    ['allow', ['event.check.status == 2', 'event.check.occurrences == 1'], true],
    ['deny', ['event.check.status == 2', 'event.check.occurrences == 1'], false],
    ['deny', ['event.check.status !== 0'], true],
    ['allow', ['event.check.occurrences == 1 || event.check.occurrences % 3 == 0'], false],
    ['allow', ["event.check.labels['team'] == 'ops'"], false],
    ['allow', ['event.check.metadata.labels.team == "ops"'], false],
    // An expression that cannot be evaluated passes the event: one notification too many is better than one too few.
    ['allow', ["event.entity.labels['team'] == 'ops'"], false],
    ['allow', ['event.check.nothing.at.all == 1'], false],
    ['deny', ['event.check.nothing.at.all == 1'], false],
    ['allow', ['event.check.nothing == 1'], true],
    ['allow', ["event.entity.name == 'web-1' && event.entity.metadata.name == 'web-1'"], false],
    ['allow', ["event.namespace == 'prod'"], false],
    ['allow', ['event.is_incident && !event.is_resolution'], false],
    ['allow', ["event.check.output =~ /disk|status/ || event.check.state == 'failing'"], false],
    ['allow', ["event.check.namespace == 'prod'"], false],
    // Expressions in the JavaScript style of Sensu Go.
    ['allow', ["event.check.name.startsWith('di') && event.check.labels['team'].includes('o')"], false],
    ['allow', ['event.check.annotations.runbook == undefined'], false],
    ['allow', ['event.check.labels.team !== undefined'], false],
    ['allow', ['weekday(event.timestamp) >= 0 && hour(event.timestamp) <= 23'], false],
    ['allow', ['hour(event.timestamp) > 23'], true],
    ['allow', ['event.check.occurrences % (180 / event.check.interval) == 0'], false],
    // A text is not a number, so the comparison with a number is false.
    ['allow', ['event.check.name > 3'], true],
    ['deny', ['event.check.name > 3'], false],
  ])('a v2 filter with %s and the expressions %j passes or rejects the event', (action, expressions, isKeptOut) => {
    expect(keepsOut({ action, expressions })).toBe(isKeptOut);
  });

  test.each<[action: string, begin: string, isKeptOut: boolean]>([
    ['allow', '11:00AM', false],
    ['allow', '12:30PM', true],
    ['deny', '11:00AM', true],
    ['deny', '12:30PM', false],
  ])(
    'a v2 filter with the action %s and a window from %s on evaluates the window in UTC',
    (action, begin, isKeptOut) => {
      const when = { days: { all: [{ begin, end: '11:00PM' }] } };
      expect(keepsOut({ action, expressions: ['event.check.status == 2'], when })).toBe(isKeptOut);
    },
  );

  test('an invalid expression of a v2 filter is reported with its position', () => {
    expect(keepsOut({ action: 'allow', expressions: ['event.check.status = 2'] })).toBe(
      'the expression "event.check.status = 2" is invalid at character 20: the expression cannot continue with this: = 2',
    );
  });
});
