import { describe, expect, test } from 'vitest';
import { HandlerScenario } from '../../support/handler-scenario.ts';

describe('a problem', () => {
  test('a problem is notified when it begins, with each new result, and when it resolves', async () => {
    const scenario = await HandlerScenario.open();
    for (const status of [0, 2, 2, 1, 0, 0]) await scenario.report(status);
    const notifications = await scenario.notifications();
    expect(notifications.map(({ action, check, occurrences }) => [action, check.status, occurrences])).toEqual([
      ['create', 2, 1],
      ['create', 2, 2],
      ['create', 1, 1],
      ['resolve', 0, 1],
    ]);
    expect(new Set(notifications.map(({ id }) => id)).size).toBe(1);
    expect(notifications.at(-1)).toMatchObject({
      occurrences_watermark: 2,
      last_state_change: scenario.now,
      check: { history: ['0', '2', '2', '1', '0'], output: 'status 0' },
    });
  });

  test('a check that fails again after it was OK opens a new event', async () => {
    const scenario = await HandlerScenario.open();
    for (const status of [2, 0, 2]) await scenario.report(status);
    const [first, resolved, again] = await scenario.notifications();
    expect(resolved?.id).toBe(first?.id);
    expect(again?.id).not.toBe(first?.id);
  });

  test('a problem of one client does not delay the notifications of another client, and each client has its own event', async () => {
    const scenario = await HandlerScenario.open();
    for (const source of ['web-1', 'web-2', 'web-1']) await scenario.report(2, { source });
    const notifications = await scenario.notifications();
    expect(notifications.map(({ client, occurrences }) => `${client.name} ${String(occurrences)}`).toSorted()).toEqual([
      'web-1 1',
      'web-1 2',
      'web-2 1',
    ]);
  });

  test('a problem of a check with handle: false is stored and not notified', async () => {
    const scenario = await HandlerScenario.open();
    for (const status of [2, 0]) await scenario.report(status, { handle: false });
    expect(await scenario.lines()).toEqual([]);
    expect(scenario.logRecords('event handling disabled for event')).toHaveLength(2);
  });
});

describe('a check that flaps', () => {
  const flapping = { low_flap_threshold: 5, high_flap_threshold: 20, handlers: ['calm', 'eager'] };

  test('a flapping check notifies handlers with handle_flapping, and all handlers when the flapping stops', async () => {
    const scenario = await HandlerScenario.open({ handlers: { calm: {}, eager: { handle_flapping: true } } });
    for (let at = 0; at < 20; at++) await scenario.report(at % 2 === 0 ? 0 : 2, flapping);
    // Flapping is only detected with a history of 21 results.
    expect(await scenario.actions('calm')).toEqual(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'resolve 0' : 'create 2')).slice(1),
    );
    await scenario.actions('eager');

    for (const status of [0, 2]) await scenario.report(status, flapping);
    expect(await scenario.actions('calm')).toEqual([]);
    expect(await scenario.actions('eager')).toEqual(['flapping 0', 'flapping 2']);
    expect(scenario.logRecords('handler does not handle action').map(({ fields }) => fields['handler'])).toEqual([
      'calm',
      'calm',
    ]);

    for (let at = 0; at < 25; at++) await scenario.report(0, flapping);
    expect(await scenario.actions('calm')).toEqual(['resolve 0']);
    const eager = await scenario.actions('eager');
    expect(eager.at(-1)).toBe('resolve 0');
    expect(new Set(eager.slice(0, -1))).toEqual(new Set(['flapping 0']));
  });
});

describe('auto_resolve: false', () => {
  test('an OK result with auto_resolve: false leaves the event unchanged and notifies nobody', async () => {
    const scenario = await HandlerScenario.open();
    const manual = { auto_resolve: false };
    await scenario.report(2, manual);
    await scenario.report(0, manual);
    await scenario.report(2, manual);
    const notifications = await scenario.notifications();
    expect(notifications.map(({ action }) => action)).toEqual(['create', 'create']);
    expect(notifications[1]?.id).toBe(notifications[0]?.id);
  });

  test.each<{ title: string; end: (scenario: HandlerScenario) => Promise<unknown> }>([
    {
      title: 'a result with force_resolve',
      end: (scenario) => scenario.report(0, { auto_resolve: false, force_resolve: true }),
    },
    { title: 'POST /resolve', end: ({ api }) => api.resolve({ client: 'web-1', check: 'disk' }) },
  ])('an event with auto_resolve: false is resolved by $title, and the resolve is notified', async ({ end }) => {
    const scenario = await HandlerScenario.open();
    await scenario.report(2, { auto_resolve: false });
    await end(scenario);
    expect(await scenario.actions()).toEqual(['create 2', 'resolve 0']);
    expect(await scenario.api.events()).toEqual([]);
  });
});

test('every result of a metric check is notified with its whole output, but only the first line is stored', async () => {
  const scenario = await HandlerScenario.open();
  const output = `load ${'x'.repeat(300)}\nmore`;
  for (const status of [0, 0, 1, 0]) await scenario.report(status, { type: 'metric', output });
  const notifications = await scenario.notifications();
  expect(notifications.map(({ action, check }) => [action, check.status, check.output])).toEqual([
    ['create', 0, output],
    ['create', 0, output],
    ['create', 1, output],
    ['resolve', 0, output],
  ]);
  expect((await scenario.api.result('web-1', 'disk'))?.check.output).not.toBe(output);
});

test('the resolve of a problem is never notified before its create, even if the create handler is slower', async () => {
  const scenario = await HandlerScenario.open();
  const slow = `event=$(cat); case "$event" in *'"action":"create"'*) sleep 0.2;; esac; printf '%s\\n' "$event"`;
  await scenario.reload({
    handlers: { default: { type: 'pipe', command: `(${slow}) >> ${scenario.dir}/default.lines` } },
  });
  const sources = ['a', 'b', 'c', 'd', 'e'];
  for (const status of [2, 0, 2, 0]) for (const source of sources) await scenario.report(status, { source });
  const notifications = await scenario.notifications();
  for (const source of sources) {
    const actions = notifications.filter(({ client }) => client.name === source).map(({ action }) => action);
    expect(actions).toEqual(['create', 'resolve', 'create', 'resolve']);
  }
});
