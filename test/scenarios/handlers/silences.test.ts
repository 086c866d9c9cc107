import { describe, expect, test, vi } from 'vitest';
import { AgentPeer } from '../../support/agent-peer.ts';
import { HandlerStory } from '../../support/handler-story.ts';

const ENTRY = { subscription: 'client:web-1', check: 'disk' };
const ID = 'client:web-1:disk';

describe('a silence', () => {
  test('a silence suppresses notifications of all handlers without handle_silenced, and the log says so', async () => {
    const story = await HandlerStory.open({ handlers: { mail: {}, audit: { handle_silenced: true } } });
    await story.api.silence(ENTRY);
    for (const status of [2, 2]) await story.report(status, { handlers: ['mail', 'audit'] });
    expect(await story.lines('mail')).toEqual([]);
    const told = await story.told('audit');
    expect(told.map(({ silenced, silenced_by, occurrences }) => ({ silenced, silenced_by, occurrences }))).toEqual([
      { silenced: true, silenced_by: [ID], occurrences: 1 },
      { silenced: true, silenced_by: [ID], occurrences: 2 },
    ]);
    const [record] = story.said('handler is silenced');
    expect(record).toMatchObject({
      level: 'info',
      fields: { handler: 'mail', client: 'web-1', check: 'disk', silenced_by: [ID] },
    });
  });

  test('a silence also suppresses the resolve of an event', async () => {
    const story = await HandlerStory.open();
    await story.report(2);
    await story.api.silence(ENTRY);
    await story.report(0);
    expect(await story.actions()).toEqual(['create 2']);
    expect(await story.api.events()).toEqual([]);
  });

  test.each([
    { entry: { check: 'disk' }, silences: true },
    { entry: { subscription: 'client:web-1' }, silences: true },
    { entry: { subscription: 'linux' }, silences: true },
    { entry: { subscription: 'linux', check: 'disk' }, silences: true },
    { entry: { subscription: 'linux', check: 'other' }, silences: false },
    { entry: { subscription: 'client:web' }, silences: false },
    // The subscribers in the check definition do not matter, only the subscriptions of the client (legacy-peer,
    // Silenced matching).
    { entry: { subscription: 'storage' }, silences: false },
  ])('a silence of $entry silences the event disk of web-1: $silences', async ({ entry, silences }) => {
    const story = await HandlerStory.open({
      handlers: { default: {} },
      checks: { disk: { command: 'df', interval: 60, subscribers: ['storage'] } },
    });
    await story.api.saveClient({ name: 'web-1', address: '192.0.2.1', subscriptions: ['linux'] });
    await story.api.silence(entry);
    await story.report(2);
    expect(await story.lines()).toHaveLength(silences ? 0 : 1);
  });

  test('a silence has no effect before its begin', async () => {
    const story = await HandlerStory.open();
    await story.api.silence({ ...ENTRY, begin: story.now + 100, expire: 60 });
    await story.report(2);
    expect(await story.actions()).toEqual(['create 2']);
    await story.pass(100);
    await story.report(2);
    expect(await story.lines()).toEqual([]);
  });

  test('a silence never suppresses an OK result of a metric check', async () => {
    const story = await HandlerStory.open();
    await story.api.silence(ENTRY);
    await story.report(0, { type: 'metric' });
    await story.report(1, { type: 'metric' });
    expect(await story.actions()).toEqual(['create 0']);
  });
});

async function awayForAnHour(story: HandlerStory): Promise<void> {
  await story.stop();
  story.clock.advance(3600_000);
  await story.start();
}

describe('a silence that ends while the problem persists', () => {
  test.each<{ how: string; entry?: object; end: (story: HandlerStory) => Promise<unknown> }>([
    { how: 'the silence is cleared', end: ({ api }) => api.clearSilenced({ id: ID }) },
    { how: 'the silence expires', entry: { expire: 60 }, end: (story) => story.pass(61) },
    { how: 'the silence expires while the backend is down', entry: { expire: 60 }, end: awayForAnHour },
    { how: 'another silence replaces it', end: (story) => story.api.silence({ ...ENTRY, begin: story.now + 3600 }) },
  ])('the handlers that a silence suppressed are notified once when $how', async ({ entry = {}, end }) => {
    const story = await HandlerStory.open({ handlers: { mail: {}, audit: { handle_silenced: true } } });
    const handlers = ['mail', 'audit'];
    await story.api.silence({ ...ENTRY, ...entry });
    for (const status of [2, 2]) await story.report(status, { handlers });
    expect(await story.lines('audit')).toHaveLength(2);
    await end(story);
    await vi.waitFor(async () => {
      expect(await story.api.handlers()).toContainEqual(expect.objectContaining({ name: 'mail', delivered: 1 }));
    });
    expect(await story.told('mail')).toMatchObject([
      { action: 'create', occurrences: 2, silenced: false, silenced_by: [], silence_ended: true },
    ]);
    expect(await story.lines('audit')).toEqual([]);
    await story.restart();
    await story.report(0, { handlers });
    expect(await story.actions('mail')).toEqual(['resolve 0']);
  });

  test('no handler is notified of the end of a silence if the event is resolved or renotify-after-silence is false', async () => {
    const off = await HandlerStory.open({ 'renotify-after-silence': false, handlers: { default: {} } });
    const over = await HandlerStory.open();
    for (const story of [off, over]) {
      await story.api.silence(ENTRY);
      await story.report(2);
    }
    await over.report(0);
    for (const story of [off, over]) {
      await story.api.clearSilenced({ id: ID });
      // Notifications caused by the end of a silence are queued before this result is processed.
      await story.report(0, { name: 'other' });
      expect(await story.lines()).toEqual([]);
    }
  });
});

describe('a silence that ends on resolve (completion 1.3)', () => {
  /** A failing check of `web-1` whose notification is suppressed: what begins the suppression, and what ends it. */
  interface Route {
    readonly how: string;
    readonly check?: string;
    readonly begin?: (story: HandlerStory) => Promise<unknown>;
    readonly end: (story: HandlerStory) => Promise<unknown>;
  }

  test.each<Route>([
    { how: 'a result through the API', end: (story) => story.report(0) },
    {
      how: 'a result of an agent',
      end: async (story) => {
        const agent = await AgentPeer.connect(story.url);
        await agent.join('spool');
        agent.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: '', status: 0 } }] });
        await agent.waitForAck(1);
        agent.cut();
      },
    },
    { how: 'POST /resolve', end: ({ api }) => api.resolve({ client: 'web-1', check: 'disk' }) },
    {
      how: 'DELETE /events',
      end: async ({ url }) => expect((await fetch(`${url}/events/web-1/disk`, { method: 'DELETE' })).status).toBe(202),
    },
    { how: 'DELETE /clients', end: ({ api }) => api.deleteClient('web-1') },
    { how: 'DELETE /checks', end: ({ api }) => api.deleteCheck('disk') },
    {
      how: 'a client whose keepalives return',
      check: 'keepalive',
      begin: async (story) => {
        const agent = await AgentPeer.connect(story.url);
        await agent.join('spool');
        agent.cut();
        await story.pass(130);
      },
      end: async (story) => {
        const agent = await AgentPeer.connect(story.url);
        await agent.join('spool');
        agent.cut();
        await story.pass(30);
      },
    },
    {
      how: 'the next result after an expired TTL',
      begin: async (story) => {
        await story.report(0, { ttl: 60 });
        await story.pass(60);
      },
      end: (story) => story.report(0, { ttl: 60 }),
    },
  ])(
    'a silence with expire_on_resolve ends by $how, which is notified',
    async ({ check = 'disk', begin = (story) => story.report(2), end }) => {
      const story = await HandlerStory.open({ handlers: { default: {}, keepalive: {} } });
      const handler = check === 'keepalive' ? 'keepalive' : 'default';
      await story.api.silence({ subscription: 'client:web-1', check, expire_on_resolve: true });
      await begin(story);
      expect(await story.lines(handler)).toEqual([]);
      expect(await story.api.silenced()).toHaveLength(1);
      await end(story);
      const told = await story.told(handler);
      expect(told).toMatchObject([{ action: 'resolve', silenced: false, silenced_by: [] }]);
      expect(await story.api.silenced()).toEqual([]);
    },
  );

  test('a silence with expire_on_resolve stays if there is no event, with auto_resolve: false, and before its begin', async () => {
    const story = await HandlerStory.open();
    const end = { ...ENTRY, expire_on_resolve: true };
    await story.api.silence(end);
    await story.report(0);
    expect(await story.api.silenced()).toHaveLength(1);

    await story.report(2, { auto_resolve: false });
    await story.report(0, { auto_resolve: false });
    expect(await story.api.silenced()).toHaveLength(1);

    await story.api.silence({ ...end, begin: story.now + 100 });
    await story.api.resolve({ client: 'web-1', check: 'disk' });
    expect(await story.api.silenced()).toHaveLength(1);
    expect((await story.told()).at(-1)).toMatchObject({ action: 'resolve', silenced: false });
  });

  test('a silence with expire_on_resolve ends even if another silence suppresses the resolve', async () => {
    const story = await HandlerStory.open();
    await story.api.silence({ ...ENTRY, expire_on_resolve: true });
    await story.api.silence({ check: 'disk' });
    for (const status of [2, 0]) await story.report(status);
    expect(await story.lines()).toEqual([]);
    expect((await story.api.silenced()).map(({ id }) => id)).toEqual(['*:disk']);
  });
});
