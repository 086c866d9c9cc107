import { describe, expect, test } from 'vitest';
import { eventSubjectOf, templateSubjectOf } from '../../../../shared/domain/v2/event-subject.ts';
import { eventConditions, evaluateExpressions } from '../../../../shared/domain/v2/expressions.ts';
import { v2HandledEvent } from '../../../../shared/domain/v2/handled-event.ts';
import { clientConditionOf } from '../../../../shared/domain/proxy-clients.ts';
import { anEvent } from '../../../support/an-event.ts';

const MOMENT = { nowMs: Date.parse('2026-11-20T12:00:00Z'), zone: 'UTC' };

/** The event of the first result of a check, which has no earlier state. */
const FIRST = anEvent({ check: { status: 0 } });

function outcomeOf(source: string, event = FIRST): 'holds' | 'does not hold' | 'fails' {
  const conditions = eventConditions([source]);
  if ('problem' in conditions) throw new Error(conditions.problem);
  const { objection, defects } = evaluateExpressions(conditions, { event: eventSubjectOf('prod', event) }, MOMENT);
  if (defects.length > 0) return 'fails';
  return objection === undefined ? 'holds' : 'does not hold';
}

const withMetrics = (metrics: object): typeof FIRST => anEvent({ check: { status: 0, metrics } });

/** Lists that are null or missing in an event of Sensu Go if they are empty. */
const LISTS: readonly string[] = [
  'event.check.history',
  'event.check.handlers',
  'event.check.subscriptions',
  'event.check.runtime_assets',
  'event.check.check_hooks',
  'event.check.output_metric_handlers',
  'event.check.env_vars',
  'event.check.secrets',
  'event.check.pipelines',
  'event.pipelines',
  'event.entity.system.network.interfaces',
  'event.entity.system.processes',
];

describe('the form of events that v2 filters get', () => {
  test.each(LISTS)('the attribute %s of an event without items is an empty list in v2 filters', (list) => {
    expect(outcomeOf(`${list}.length == 0`)).toBe('holds');
    expect(outcomeOf(`${list}.indexOf('x') >= 0`)).toBe('does not hold');
    expect(outcomeOf(`Array.isArray(${list})`)).toBe('holds');
  });

  test('the subscriptions of an entity without subscriptions are an empty list in v2 filters', () => {
    const event = { ...FIRST, client: { ...FIRST.client, sent_subscriptions: null } };
    expect(outcomeOf("event.entity.subscriptions.indexOf('linux') >= 0", event)).toBe('does not hold');
  });

  test('the addresses of an interface without addresses are an empty list in v2 filters', () => {
    const system = { network: { interfaces: [{ name: 'lo', addresses: null }] } };
    const event = { ...FIRST, client: { ...FIRST.client, system } };
    expect(outcomeOf('event.entity.system.network.interfaces[0].addresses.length == 0', event)).toBe('holds');
  });

  test('missing handlers, points and tags of metrics are empty lists in v2 filters', () => {
    const points = [{ name: 'a', value: 1, tags: null }];
    expect(outcomeOf('event.metrics.points[0].tags.length == 0', withMetrics({ handlers: null, points }))).toBe(
      'holds',
    );
    expect(outcomeOf('event.metrics.handlers.length == 0', withMetrics({ handlers: null, points }))).toBe('holds');
    expect(outcomeOf('event.metrics.points.length == 0', withMetrics({ handlers: ['a'], points: null }))).toBe('holds');
  });

  test.each([
    ['a change of status at the first result', 'event.check.history.length > 1 && event.check.history[0].status == 0'],
    [
      'the previous status at the first result',
      'event.check.history.length > 1 && event.check.history[event.check.history.length-2].status == 0',
    ],
  ])('a v2 filter expression about %s is false', (_what, source) => {
    expect(outcomeOf(source)).toBe('does not hold');
  });

  test.each([
    'event.check.duration == 0',
    'event.check.interval === 0',
    'event.check.ttl === 0',
    'event.check.timeout === 0',
    'event.check.low_flap_threshold === 0',
    'event.check.total_state_change === 0',
    'event.check.last_ok === 0',
    "event.check.proxy_entity_name === ''",
    "event.check.output_metric_format === ''",
    "event.check.scheduler === ''",
    "event.entity.system.libc_type === ''",
    'event.check.publish === false',
    'event.check.discard_output === false',
    'event.entity.deregister === false',
    'event.check.subdue === null',
    'event.sequence === 0',
  ])('the v2 filter expression %s is true for an event without the attribute', (source) => {
    expect(outcomeOf(source)).toBe('holds');
  });

  test.each([
    'event.check.silenced.length > 0',
    "event.check.labels.team == 'ops'",
    "event.check.annotations.runbook == 'x'",
    'event.check.hooks.length > 0',
    'event.check.output_metric_tags.length > 0',
    'event.check.proxy_requests.splay',
    "event.check.command.indexOf('x') >= 0",
    "event.check.cron.indexOf('x') >= 0",
    "event.entity.labels.team == 'ops'",
    "event.entity.redact.indexOf('x') >= 0",
    "event.entity.keepalive_handlers.indexOf('x') >= 0",
    "event.entity.system.os.indexOf('x') >= 0",
    'event.metrics.points.length > 0',
    'event.check.nothing.deeper',
  ])('the v2 filter expression %s fails for an event without the attribute, as in Sensu Go', (source) => {
    expect(outcomeOf(source)).toBe('fails');
  });

  test('an event in v2 filters has no empty label map, silence list or command, as in Sensu Go', () => {
    const check = { status: 0, metadata: { labels: {} }, command: '', max_output_size: 0, hooks: [] };
    expect(outcomeOf("event.check.labels.team == 'ops'", anEvent({ check }))).toBe('fails');
    expect(outcomeOf("typeof event.check.command == 'undefined'", anEvent({ check }))).toBe('holds');
    expect(outcomeOf("typeof event.check.max_output_size == 'undefined'", anEvent({ check }))).toBe('holds');
    expect(outcomeOf("typeof event.check.hooks == 'undefined'", anEvent({ check }))).toBe('holds');
  });

  test('an OK result after a problem counts as a resolution in v2 filters even while the event flaps', () => {
    const flapping = anEvent({ action: 'flapping', check: { status: 0, history: ['0', '2', '0', '2', '0'] } });
    expect(outcomeOf('event.is_resolution', flapping)).toBe('holds');
    expect(outcomeOf('event.is_flapping_start && !event.is_flapping_end', flapping)).toBe('holds');
  });
});

test('the entity_attributes of a proxy request get an empty list for an entity without interfaces', () => {
  const condition = clientConditionOf({
    proxy_requests: { entity_attributes: ['entity.system.network.interfaces.length == 0'] },
  } as never);
  expect(condition?.('prod', FIRST.client, MOMENT)).toBe(true);
});

test('v2 handlers get null for empty lists and no duration of zero, as in Sensu Go', () => {
  const { check, entity } = v2HandledEvent('prod', FIRST);
  expect(check).toMatchObject({
    handlers: [],
    subscriptions: [],
    history: null,
    runtime_assets: null,
    check_hooks: null,
    output_metric_handlers: null,
    env_vars: null,
    secrets: null,
    output_metric_format: '',
    subdue: null,
  });
  for (const name of ['duration', 'silenced', 'hooks', 'pipelines', 'command', 'discard_output']) {
    expect(check).not.toHaveProperty(name);
  }
  expect(entity.system).toMatchObject({ network: { interfaces: null }, processes: null, libc_type: '' });
  expect(entity.system).not.toHaveProperty('os');
});

test('message templates get the same v2 event as handlers', () => {
  expect(templateSubjectOf('prod', FIRST)).toMatchObject({ id: FIRST.id, check: { env_vars: null } });
});
