import { describe, expect, test, vi } from 'vitest';
import { AgentPeer } from '../../support/agent-peer.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';

const ENTRY = { subscription: 'client:web-1', check: 'disk' };
const ID = 'client:web-1:disk';

describe('a silence', () => {
  test('a silence suppresses notifications of all handlers without handle_silenced, and the log says so', async () => {
    const scenario = await HandlerScenario.open({ handlers: { mail: {}, audit: { handle_silenced: true } } });
    await scenario.api.silence(ENTRY);
    for (const status of [2, 2]) await scenario.report(status, { handlers: ['mail', 'audit'] });
    expect(await scenario.lines('mail')).toEqual([]);
    const notifications = await scenario.notifications('audit');
    expect(
      notifications.map(({ silenced, silenced_by, occurrences }) => ({ silenced, silenced_by, occurrences })),
    ).toEqual([
      { silenced: true, silenced_by: [ID], occurrences: 1 },
      { silenced: true, silenced_by: [ID], occurrences: 2 },
    ]);
    const [record] = scenario.logRecords('handler is silenced');
    expect(record).toMatchObject({
      level: 'info',
      fields: { handler: 'mail', client: 'web-1', check: 'disk', silenced_by: [ID] },
    });
  });

  test('a silence also suppresses the resolve of an event', async () => {
    const scenario = await HandlerScenario.open();
    await scenario.report(2);
    await scenario.api.silence(ENTRY);
    await scenario.report(0);
    expect(await scenario.actions()).toEqual(['create 2']);
    expect(await scenario.api.events()).toEqual([]);
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
    const scenario = await HandlerScenario.open({
      handlers: { default: {} },
      checks: { disk: { command: 'df', interval: 60, subscribers: ['storage'] } },
    });
    await scenario.api.saveClient({ name: 'web-1', address: '192.0.2.1', subscriptions: ['linux'] });
    await scenario.api.silence(entry);
    await scenario.report(2);
    expect(await scenario.lines()).toHaveLength(silences ? 0 : 1);
  });

  test('a silence has no effect before its begin', async () => {
    const scenario = await HandlerScenario.open();
    await scenario.api.silence({ ...ENTRY, begin: scenario.now + 100, expire: 60 });
    await scenario.report(2);
    expect(await scenario.actions()).toEqual(['create 2']);
    await scenario.pass(100);
    await scenario.report(2);
    expect(await scenario.lines()).toEqual([]);
  });

  test('a silence never suppresses an OK result of a metric check', async () => {
    const scenario = await HandlerScenario.open();
    await scenario.api.silence(ENTRY);
    await scenario.report(0, { type: 'metric' });
    await scenario.report(1, { type: 'metric' });
    expect(await scenario.actions()).toEqual(['create 0']);
  });
});

async function suspendForAnHour(scenario: HandlerScenario): Promise<void> {
  await scenario.stop();
  scenario.clock.advance(3600_000);
  await scenario.start();
}

describe('a silence that ends while the problem persists', () => {
  test.each<{ title: string; entry?: object; end: (scenario: HandlerScenario) => Promise<unknown> }>([
    { title: 'the silence is cleared', end: ({ api }) => api.clearSilenced({ id: ID }) },
    { title: 'the silence expires', entry: { expire: 60 }, end: (scenario) => scenario.pass(61) },
    { title: 'the silence expires while the backend is down', entry: { expire: 60 }, end: suspendForAnHour },
    {
      title: 'another silence replaces it',
      end: (scenario) => scenario.api.silence({ ...ENTRY, begin: scenario.now + 3600 }),
    },
  ])('the handlers that a silence suppressed are notified once when $title', async ({ entry = {}, end }) => {
    const scenario = await HandlerScenario.open({ handlers: { mail: {}, audit: { handle_silenced: true } } });
    const handlers = ['mail', 'audit'];
    await scenario.api.silence({ ...ENTRY, ...entry });
    for (const status of [2, 2]) await scenario.report(status, { handlers });
    expect(await scenario.lines('audit')).toHaveLength(2);
    await end(scenario);
    await vi.waitFor(async () => {
      expect(await scenario.api.handlers()).toContainEqual(expect.objectContaining({ name: 'mail', delivered: 1 }));
    });
    expect(await scenario.notifications('mail')).toMatchObject([
      { action: 'create', occurrences: 2, silenced: false, silenced_by: [], silence_ended: true },
    ]);
    expect(await scenario.lines('audit')).toEqual([]);
    await scenario.restart();
    await scenario.report(0, { handlers });
    expect(await scenario.actions('mail')).toEqual(['resolve 0']);
  });

  test('no handler is notified of the end of a silence if the event is resolved or renotify-after-silence is false', async () => {
    const off = await HandlerScenario.open({ 'renotify-after-silence': false, handlers: { default: {} } });
    const over = await HandlerScenario.open();
    for (const scenario of [off, over]) {
      await scenario.api.silence(ENTRY);
      await scenario.report(2);
    }
    await over.report(0);
    for (const scenario of [off, over]) {
      await scenario.api.clearSilenced({ id: ID });
      // Notifications caused by the end of a silence are queued before this result is processed.
      await scenario.report(0, { name: 'other' });
      expect(await scenario.lines()).toEqual([]);
    }
  });
});

describe('a silence that ends on resolve (completion 1.3)', () => {
  /** A failing check of `web-1` whose notification is suppressed: what begins the suppression, and what ends it. */
  interface Route {
    readonly title: string;
    readonly check?: string;
    readonly begin?: (scenario: HandlerScenario) => Promise<unknown>;
    readonly end: (scenario: HandlerScenario) => Promise<unknown>;
  }

  test.each<Route>([
    { title: 'a result through the API', end: (scenario) => scenario.report(0) },
    {
      title: 'a result of an agent',
      end: async (scenario) => {
        const agent = await AgentPeer.connect(scenario.url);
        await agent.join('spool');
        agent.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: '', status: 0 } }] });
        await agent.waitForAck(1);
        agent.cut();
      },
    },
    { title: 'POST /resolve', end: ({ api }) => api.resolve({ client: 'web-1', check: 'disk' }) },
    {
      title: 'DELETE /events',
      end: async ({ url }) => expect((await fetch(`${url}/events/web-1/disk`, { method: 'DELETE' })).status).toBe(202),
    },
    { title: 'DELETE /clients', end: ({ api }) => api.deleteClient('web-1') },
    { title: 'DELETE /checks', end: ({ api }) => api.deleteCheck('disk') },
    {
      title: 'a client whose keepalives return',
      check: 'keepalive',
      begin: async (scenario) => {
        const agent = await AgentPeer.connect(scenario.url);
        await agent.join('spool');
        agent.cut();
        await scenario.pass(130);
      },
      end: async (scenario) => {
        const agent = await AgentPeer.connect(scenario.url);
        await agent.join('spool');
        agent.cut();
        await scenario.pass(30);
      },
    },
    {
      title: 'the next result after an expired TTL',
      begin: async (scenario) => {
        await scenario.report(0, { ttl: 60 });
        await scenario.pass(60);
      },
      end: (scenario) => scenario.report(0, { ttl: 60 }),
    },
  ])(
    'a silence with expire_on_resolve ends by $title, which is notified',
    async ({ check = 'disk', begin = (scenario) => scenario.report(2), end }) => {
      const scenario = await HandlerScenario.open({ handlers: { default: {}, keepalive: {} } });
      const handler = check === 'keepalive' ? 'keepalive' : 'default';
      await scenario.api.silence({ subscription: 'client:web-1', check, expire_on_resolve: true });
      await begin(scenario);
      expect(await scenario.lines(handler)).toEqual([]);
      expect(await scenario.api.silenced()).toHaveLength(1);
      await end(scenario);
      const notifications = await scenario.notifications(handler);
      expect(notifications).toMatchObject([{ action: 'resolve', silenced: false, silenced_by: [] }]);
      expect(await scenario.api.silenced()).toEqual([]);
    },
  );

  test('a silence with expire_on_resolve stays if there is no event, with auto_resolve: false, and before its begin', async () => {
    const scenario = await HandlerScenario.open();
    const end = { ...ENTRY, expire_on_resolve: true };
    await scenario.api.silence(end);
    await scenario.report(0);
    expect(await scenario.api.silenced()).toHaveLength(1);

    await scenario.report(2, { auto_resolve: false });
    await scenario.report(0, { auto_resolve: false });
    expect(await scenario.api.silenced()).toHaveLength(1);

    await scenario.api.silence({ ...end, begin: scenario.now + 100 });
    await scenario.api.resolve({ client: 'web-1', check: 'disk' });
    expect(await scenario.api.silenced()).toHaveLength(1);
    expect((await scenario.notifications()).at(-1)).toMatchObject({ action: 'resolve', silenced: false });
  });

  test('a silence with expire_on_resolve ends even if another silence suppresses the resolve', async () => {
    const scenario = await HandlerScenario.open();
    await scenario.api.silence({ ...ENTRY, expire_on_resolve: true });
    await scenario.api.silence({ check: 'disk' });
    for (const status of [2, 0]) await scenario.report(status);
    expect(await scenario.lines()).toEqual([]);
    expect((await scenario.api.silenced()).map(({ id }) => id)).toEqual(['*:disk']);
  });
});
