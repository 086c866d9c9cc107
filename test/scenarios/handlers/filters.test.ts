import { describe, expect, test } from 'vitest';
import { HandlerScenario } from '../../support/handler-scenario.ts';

const handler = (attributes: object) => ({ handlers: { default: { ...attributes } } });

describe('the filter occurrences', () => {
  test('the filter occurrences passes an event after enough occurrences, at each refresh and when it resolves', async () => {
    const scenario = await HandlerScenario.open(handler({ filter: 'occurrences' }));
    const check = { occurrences: 3, refresh: 300, interval: 60 };
    for (let times = 0; times < 14; times++) await scenario.report(2, check);
    await scenario.report(0, check);
    const notifications = await scenario.notifications();
    expect(notifications.map(({ action, occurrences }) => `${action} ${String(occurrences)}`)).toEqual([
      'create 3',
      'create 8',
      'create 13',
      'resolve 14',
    ]);
    const filtered = scenario.logRecords('event was filtered');
    expect(filtered).toHaveLength(11);
    expect(filtered[0]).toMatchObject({ level: 'info', fields: { handler: 'default', filter: 'occurrences' } });
    expect(String(filtered[0]?.fields['reason'])).toContain('not enough occurrences');
    expect(String(filtered[2]?.fields['reason'])).toContain('only handling every 5 occurrences');
  });

  test('an event that never had enough occurrences is not notified when it resolves', async () => {
    const scenario = await HandlerScenario.open(handler({ filter: 'occurrences' }));
    for (const status of [2, 2, 0]) await scenario.report(status, { occurrences: 3 });
    expect(await scenario.lines()).toEqual([]);
  });
});

test('an event is suppressed while an event that it depends on is open, and notified once that event is resolved', async () => {
  const scenario = await HandlerScenario.open(handler({ filter: 'check_dependencies' }));
  await scenario.api.saveClient({ name: 'nas', address: '192.0.2.9', subscriptions: ['storage'] });
  const check = { dependencies: ['mount', 'nas/ping', 'subscription:storage/raid'] };
  for (const [source, name] of [
    ['web-1', 'mount'],
    ['nas', 'ping'],
    ['nas', 'raid'],
  ] as const) {
    await scenario.report(2, { source, name });
    await scenario.lines();
    await scenario.report(2, check);
    expect(await scenario.lines()).toEqual([]);
    await scenario.report(0, { source, name });
    await scenario.lines();
    await scenario.report(2, check);
    expect((await scenario.notifications()).map((event) => event.check.name)).toEqual(['disk']);
  }
  // The same check on another client is not a dependency.
  await scenario.report(2, { source: 'web-2', name: 'mount' });
  await scenario.lines();
  await scenario.report(2, check);
  expect(await scenario.lines()).toHaveLength(1);
});

describe('severities', () => {
  test('a handler gets only events of its severities, and a resolve only if it was notified of the event', async () => {
    const scenario = await HandlerScenario.open({
      handlers: { pager: { severities: ['critical'] }, desk: { severities: ['warning', 'unknown'] } },
    });
    const handlers = ['pager', 'desk'];
    for (const status of [1, 2, 0]) await scenario.report(status, { handlers });
    expect(await scenario.actions('pager')).toEqual(['create 2', 'resolve 0']);
    expect(await scenario.actions('desk')).toEqual(['create 1', 'resolve 0']);
    for (const status of [3, 127, -1]) await scenario.report(status, { handlers, source: 'web-2' });
    expect(await scenario.actions('desk')).toEqual(['create 3', 'create 127', 'create -1']);
    expect(await scenario.lines('pager')).toEqual([]);
    expect(
      scenario.logRecords('handler does not handle event severity').map(({ fields }) => fields['handler']),
    ).toEqual(['pager', 'desk', 'pager', 'pager', 'pager']);
  });

  test('a resolve notifies nobody if all firing states of the event were filtered by severity', async () => {
    const scenario = await HandlerScenario.open(handler({ severities: ['critical'] }));
    for (const status of [1, 1, 0]) await scenario.report(status);
    expect(await scenario.lines()).toEqual([]);
  });
});

describe('a custom filter', () => {
  const filters = {
    production: { attributes: { client: { environment: 'production' } } },
    test: { attributes: { client: { environment: 'test' } }, negate: true },
    'every-other': { attributes: { occurrences: 'eval: value % 2 == 0' } },
    'by-day': { attributes: { occurrences: 1 }, when: { days: { all: [{ begin: '09:00 UTC', end: '17:00 UTC' }] } } },
    typed: { attributes: { occurrences: 'eval: value > :::check.least|1:::', check: { status: '2' } } },
  };

  async function runScenario(attributes: object, client: object): Promise<HandlerScenario> {
    const scenario = await HandlerScenario.open({ ...handler(attributes), filters });
    await scenario.api.saveClient({ name: 'web-1', address: '192.0.2.1', ...client });
    for (const times of [1, 2, 3, 4]) await scenario.report(2, { least: 2, times });
    return scenario;
  }

  test.each<{ attributes: object; environment: string; notified: number[] }>([
    { attributes: { filter: 'production' }, environment: 'production', notified: [1, 2, 3, 4] },
    { attributes: { filter: 'production' }, environment: 'test', notified: [] },
    { attributes: { filter: 'test' }, environment: 'test', notified: [] },
    { attributes: { filter: 'test' }, environment: 'production', notified: [1, 2, 3, 4] },
    { attributes: { filter: 'every-other' }, environment: 'test', notified: [2, 4] },
    { attributes: { filters: ['production', 'every-other'] }, environment: 'production', notified: [2, 4] },
    { attributes: { filters: ['production', 'every-other'] }, environment: 'test', notified: [] },
    { attributes: { filters: ['every-other'], filter: 'production' }, environment: 'test', notified: [2, 4] },
    { attributes: { filters: [], filter: 'production' }, environment: 'test', notified: [1, 2, 3, 4] },
    { attributes: { filter: 'typed' }, environment: 'test', notified: [3, 4] },
    { attributes: { filter: 'nobody-defined-it' }, environment: 'test', notified: [1, 2, 3, 4] },
  ])(
    'a handler with $attributes is notified of the occurrences $notified of a client in $environment',
    async ({ attributes, environment, notified }) => {
      const scenario = await runScenario(attributes, { environment });
      expect((await scenario.notifications()).map(({ occurrences }) => occurrences)).toEqual(notified);
    },
  );

  test('a custom filter passes every event outside of its time windows', async () => {
    // The clock of the test starts at midnight.
    const scenario = await runScenario({ filter: 'by-day' }, {});
    expect(await scenario.lines()).toHaveLength(4);
    await scenario.pass(9 * 3600, 9 * 3600);
    await scenario.lines();
    await scenario.report(2);
    expect(await scenario.lines()).toEqual([]);
    await scenario.pass(9 * 3600, 9 * 3600);
    await scenario.report(2);
    expect(await scenario.lines()).toHaveLength(1);
  });

  test('an undefined filter passes the event and a failing filter rejects it, both with an error in the log', async () => {
    const scenario = await HandlerScenario.open({
      handlers: { a: { filter: 'nowhere' }, b: { filter: 'untyped' }, c: { filter: 'unmatched' } },
      filters: {
        untyped: { attributes: { check: { output: 'eval: value > 3' } } },
        unmatched: { attributes: { occurrences: 'eval: value > :::check.nope:::' } },
      },
    });
    await scenario.report(2, { handlers: ['a', 'b', 'c'] });
    expect(
      [await scenario.lines('a'), await scenario.lines('b'), await scenario.lines('c')].map(({ length }) => length),
    ).toEqual([1, 0, 0]);
    expect(
      scenario.log.records
        .filter(({ level }) => level === 'error')
        .map(({ message, fields }) => [message, fields['filter'], fields['handler']]),
    ).toEqual([
      ['unknown filter', 'nowhere', 'a'],
      ['attribute value eval error', 'untyped', 'b'],
      ['attribute value eval unmatched tokens', 'unmatched', 'c'],
    ]);
  });
});
