import { describe, expect, test } from 'vitest';
import { checkDefinitionOf, v2CheckOf } from '../../../../shared/domain/v2/check.ts';
import { checkSchema } from '../../../../shared/schemas/check.ts';
import { v2CheckSchema, type V2Check } from '../../../../shared/schemas/v2/check.ts';

const metadata = { name: 'disk', namespace: 'prod' };

/** Returns a default interval, or nothing if the attributes contain a schedule. */
function scheduled(attributes: object): object {
  return 'interval' in attributes || 'cron' in attributes ? {} : { interval: 10 };
}

function definitionOf(attributes: object): unknown {
  return checkDefinitionOf(
    v2CheckSchema.parse({ metadata, command: 'df', ...scheduled(attributes), ...attributes }) as V2Check,
  );
}

describe('a check of the v2 API as a definition', () => {
  test('a check of the v2 API without attributes has only its command', () => {
    expect(definitionOf({})).toEqual({
      command: 'df',
      interval: 10,
      handlers: [],
      subscribers: [],
      publish: false,
      name: 'disk',
    });
  });

  test.each<[name: string, attributes: object, expected: object]>([
    ['its interval', { interval: 60, publish: true }, { interval: 60, publish: true }],
    ['its cron', { cron: '* * * * *', interval: 0, publish: true }, { cron: '* * * * *' }],
    [
      'the entity subscription of one client',
      { subscriptions: ['linux', 'entity:web-1'] },
      {
        subscribers: ['linux', 'client:web-1'],
      },
    ],
    ['its proxy entity name', { proxy_entity_name: 'sw-1' }, { source: 'sw-1' }],
    ['its round_robin', { round_robin: true }, { round_robin: true }],
    [
      'its environment variables, stdin, timeout and TTL',
      { env_vars: ['A=b'], stdin: true, timeout: 5, ttl: 90 },
      {
        env_vars: ['A=b'],
        stdin: true,
        timeout: 5,
        ttl: 90,
      },
    ],
    [
      'both thresholds of its flap detection',
      { low_flap_threshold: 20, high_flap_threshold: 60 },
      {
        low_flap_threshold: 20,
        high_flap_threshold: 60,
      },
    ],
    [
      'its subdue windows in UTC',
      {
        subdue: { days: { all: null, monday: [], friday: [{ begin: '5:00PM', end: '6:00PM' }] } },
      },
      { subdue: { days: { friday: [{ begin: '5:00PM UTC', end: '6:00PM UTC' }] } } },
    ],
    [
      'attributes that only agents use',
      { check_hooks: [{ ok: ['x'] }], output_metric_format: 'influxdb_line' },
      {
        check_hooks: [{ ok: ['x'] }],
        output_metric_format: 'influxdb_line',
      },
    ],
    [
      'its labels',
      { metadata: { ...metadata, labels: { team: 'ops' } } },
      {
        metadata: { labels: { team: 'ops' } },
      },
    ],
  ])('a check of the v2 API is converted with %s', (_name, attributes, expected) => {
    expect(definitionOf(attributes)).toMatchObject(expected);
  });

  test('zero, empty and null attributes of a v2 check are not set', () => {
    const unset = { interval: 10, cron: '', timeout: 0, ttl: 0, proxy_entity_name: '', subdue: null, env_vars: null };
    expect(definitionOf({ ...unset, low_flap_threshold: 0, high_flap_threshold: 60, subscriptions: null })).toEqual(
      definitionOf({}),
    );
  });

  test('an invalid expression of a v2 check is reported with its attribute', () => {
    expect(definitionOf({ proxy_requests: { entity_attributes: ['entity.labels["x" > 0'] } })).toEqual({
      problem: expect.stringContaining('proxy_requests.entity_attributes: the expression "entity.labels['),
    });
  });
});

describe('an invalid check of the v2 API', () => {
  test.each<[object, string]>([
    [{ publish: false }, 'interval'],
    [{ interval: 60, output_metric_format: 'nonsense' }, 'output_metric_format'],
    [{ interval: 60, proxy_entity_name: 'a b' }, 'proxy_entity_name'],
    [{ interval: 60, proxy_requests: { splay: true } }, 'proxy_requests'],
    [{ interval: 60, runtime_assets: ['a b'] }, 'runtime_assets'],
    [{ interval: '60' }, 'interval'],
    [{ interval: 60, cron: '* * * * *' }, 'interval'],
    [{ publish: true }, 'interval'],
    [{ interval: 60, ttl: 60 }, 'ttl'],
    [{ cron: '61 * * * *' }, 'cron'],
    [{ low_flap_threshold: 50, high_flap_threshold: 50 }, 'low_flap_threshold'],
    [{ env_vars: ['no variable'] }, 'env_vars'],
    [{ subscriptions: [''] }, 'subscriptions'],
    [{ cron: 'CRON_TZ=No/Where 0 8 * * *' }, 'cron'],
    [{ cron: '@every x' }, 'cron'],
    [{ cron: '0 0 9 * * 1' }, 'cron'],
    [{ cron: '0 9 ?? * 1' }, 'cron'],
    [{ cron: '0 9 5?' }, 'cron'],
    [{ cron: '70/5 * * * *' }, 'cron'],
    [{ metadata: { name: 'a b' } }, 'metadata'],
    [{ metadata: { name: 'a', labels: { team: 1 } } }, 'metadata'],
    [{ subdue: { days: { friday: [{ begin: 'noon', end: '6:00PM' }] } } }, 'subdue'],
  ])('the v2 check with %j is rejected', (attributes, place) => {
    const parsed = v2CheckSchema.safeParse({ metadata, command: 'df', ...attributes });
    expect(parsed.error?.issues.map(({ path }) => path[0])).toContain(place);
  });
});

test.each([
  { command: '', interval: 10 },
  { command: undefined, interval: 10 },
  { subscriptions: ['a b'], interval: 10 },
  { interval: 4_294_967_295 },
  { interval: 10, ttl: -1 },
  { interval: 10, low_flap_threshold: 10, high_flap_threshold: 200 },
  { interval: 10, secrets: [{}] },
  { interval: 10, metadata: { name: 'a:b', namespace: 'prod' } },
  { cron: 'CRON_TZ=Europe/Berlin 0 8 * * *' },
  { cron: '@every 5m' },
  { cron: '0 9 ? * MON' },
  { cron: 'CRON_TZ=Europe/Berlin ?/5 9,? 1 ? *' },
  { cron: '5/15 8/4 * * mon/2' },
])('the v2 check with %j is accepted as Sensu Go accepts it', (attributes) => {
  expect(v2CheckSchema.safeParse({ metadata, command: 'df', ...attributes }).error).toBeUndefined();
});

test('the v2 API shows a check of the configuration with the types that v2 clients decode', () => {
  const definition = checkSchema.parse({
    command: 'df',
    subscribers: ['all'],
    interval: 60,
    handler: 'mail',
    refresh: 5,
  });
  const shown = v2CheckOf('default', { ...definition, name: 'disk' });
  expect(v2CheckSchema.safeParse(shown).error).toBeUndefined();
  expect(shown).toMatchObject({ handlers: ['mail'], cron: '', ttl: 0, timeout: 0, refresh: 5, subdue: null });
});
