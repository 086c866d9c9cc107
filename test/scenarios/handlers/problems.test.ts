import { describe, expect, test } from 'vitest';
import { HandlerStory } from '../../support/handler-story.ts';

describe('a problem', () => {
  test('a problem is notified when it begins, with each new result, and when it resolves', async () => {
    const story = await HandlerStory.open();
    for (const status of [0, 2, 2, 1, 0, 0]) await story.report(status);
    const told = await story.told();
    expect(told.map(({ action, check, occurrences }) => [action, check.status, occurrences])).toEqual([
      ['create', 2, 1],
      ['create', 2, 2],
      ['create', 1, 1],
      ['resolve', 0, 1],
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
    expect(told.at(-1)).toMatchObject({
      occurrences_watermark: 2,
      last_state_change: story.now,
      check: { history: ['0', '2', '2', '1', '0'], output: 'status 0' },
    });
  });

  test('a check that fails again after it was OK opens a new event', async () => {
    const story = await HandlerStory.open();
    for (const status of [2, 0, 2]) await story.report(status);
    const [first, resolved, again] = await story.told();
    expect(resolved?.id).toBe(first?.id);
    expect(again?.id).not.toBe(first?.id);
  });

  test('a problem of one client does not delay the notifications of another client, and each client has its own event', async () => {
    const story = await HandlerStory.open();
    for (const source of ['web-1', 'web-2', 'web-1']) await story.report(2, { source });
    const told = await story.told();
    expect(told.map(({ client, occurrences }) => `${client.name} ${String(occurrences)}`).toSorted()).toEqual([
      'web-1 1',
      'web-1 2',
      'web-2 1',
    ]);
  });

  test('a problem of a check with handle: false is stored and not notified', async () => {
    const story = await HandlerStory.open();
    for (const status of [2, 0]) await story.report(status, { handle: false });
    expect(await story.lines()).toEqual([]);
    expect(story.said('event handling disabled for event')).toHaveLength(2);
  });
});

describe('a check that flaps', () => {
  const flapping = { low_flap_threshold: 5, high_flap_threshold: 20, handlers: ['calm', 'eager'] };

  test('a flapping check notifies handlers with handle_flapping, and all handlers when the flapping stops', async () => {
    const story = await HandlerStory.open({ handlers: { calm: {}, eager: { handle_flapping: true } } });
    for (let at = 0; at < 20; at++) await story.report(at % 2 === 0 ? 0 : 2, flapping);
    // Flapping is only detected with a history of 21 results.
    expect(await story.actions('calm')).toEqual(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'resolve 0' : 'create 2')).slice(1),
    );
    await story.actions('eager');

    for (const status of [0, 2]) await story.report(status, flapping);
    expect(await story.actions('calm')).toEqual([]);
    expect(await story.actions('eager')).toEqual(['flapping 0', 'flapping 2']);
    expect(story.said('handler does not handle action').map(({ fields }) => fields['handler'])).toEqual([
      'calm',
      'calm',
    ]);

    for (let at = 0; at < 25; at++) await story.report(0, flapping);
    expect(await story.actions('calm')).toEqual(['resolve 0']);
    const eager = await story.actions('eager');
    expect(eager.at(-1)).toBe('resolve 0');
    expect(new Set(eager.slice(0, -1))).toEqual(new Set(['flapping 0']));
  });
});

describe('auto_resolve: false', () => {
  test('an OK result with auto_resolve: false leaves the event unchanged and notifies nobody', async () => {
    const story = await HandlerStory.open();
    const manual = { auto_resolve: false };
    await story.report(2, manual);
    await story.report(0, manual);
    await story.report(2, manual);
    const told = await story.told();
    expect(told.map(({ action }) => action)).toEqual(['create', 'create']);
    expect(told[1]?.id).toBe(told[0]?.id);
  });

  test.each<{ how: string; end: (story: HandlerStory) => Promise<unknown> }>([
    {
      how: 'a result with force_resolve',
      end: (story) => story.report(0, { auto_resolve: false, force_resolve: true }),
    },
    { how: 'POST /resolve', end: ({ api }) => api.resolve({ client: 'web-1', check: 'disk' }) },
  ])('an event with auto_resolve: false is resolved by $how, and the resolve is notified', async ({ end }) => {
    const story = await HandlerStory.open();
    await story.report(2, { auto_resolve: false });
    await end(story);
    expect(await story.actions()).toEqual(['create 2', 'resolve 0']);
    expect(await story.api.events()).toEqual([]);
  });
});

test('every result of a metric check is notified with its whole output, but only the first line is stored', async () => {
  const story = await HandlerStory.open();
  const output = `load ${'x'.repeat(300)}\nmore`;
  for (const status of [0, 0, 1, 0]) await story.report(status, { type: 'metric', output });
  const told = await story.told();
  expect(told.map(({ action, check }) => [action, check.status, check.output])).toEqual([
    ['create', 0, output],
    ['create', 0, output],
    ['create', 1, output],
    ['resolve', 0, output],
  ]);
  expect((await story.api.result('web-1', 'disk'))?.check.output).not.toBe(output);
});

test('the resolve of a problem is never notified before its create, even if the create handler is slower', async () => {
  const story = await HandlerStory.open();
  const slow = `event=$(cat); case "$event" in *'"action":"create"'*) sleep 0.2;; esac; printf '%s\\n' "$event"`;
  await story.reload({ handlers: { default: { type: 'pipe', command: `(${slow}) >> ${story.dir}/default.lines` } } });
  const sources = ['a', 'b', 'c', 'd', 'e'];
  for (const status of [2, 0, 2, 0]) for (const source of sources) await story.report(status, { source });
  const told = await story.told();
  for (const source of sources) {
    const actions = told.filter(({ client }) => client.name === source).map(({ action }) => action);
    expect(actions).toEqual(['create', 'resolve', 'create', 'resolve']);
  }
});
