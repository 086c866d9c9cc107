import { describe, expect, test } from 'vitest';
import { AgentPeer } from '../../support/agent-peer.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';

/** Connects an agent with these client attributes, and disconnects it. */
async function appear(scenario: HandlerScenario, about: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const agent = await AgentPeer.connect(scenario.url);
  await agent.join('spool', about);
  agent.cut();
}

describe('the registration of a client', () => {
  test('the registration of a client notifies the handler named registration once and stores no event', async () => {
    const scenario = await HandlerScenario.open({ handlers: { default: {}, registration: {} } });
    await appear(scenario);
    await appear(scenario);
    expect(await scenario.notifications('registration')).toMatchObject([
      {
        client: { name: 'web-1', subscriptions: ['web', 'client:web-1'] },
        check: { name: 'registration', output: 'new client registration', status: 1, history: [] },
        occurrences: 2,
        action: 'create',
        silenced: false,
      },
    ]);
    expect(await scenario.api.events()).toEqual([]);
    expect(await scenario.api.results({ client: 'web-1' })).toEqual([]);
  });

  test('a result with a source notifies the registration of a client, and POST /clients does not', async () => {
    const scenario = await HandlerScenario.open({ handlers: { default: {}, registration: {} } });
    await scenario.report(0, { source: 'router-1' });
    await scenario.api.saveClient({ name: 'router-2', address: '192.0.2.9' });
    await scenario.report(0, { source: 'router-2' });
    expect((await scenario.notifications('registration')).map(({ client }) => client.name)).toEqual(['router-1']);
  });

  test('the registration of a client notifies the handler that the client names, with the attributes of the client', async () => {
    const scenario = await HandlerScenario.open({ handlers: { welcome: {}, registration: {} } });
    await appear(scenario, { registration: { handler: 'welcome', team: 'ops' } });
    expect(await scenario.notifications('welcome')).toMatchObject([{ check: { name: 'registration', team: 'ops' } }]);
    expect(await scenario.lines('registration')).toEqual([]);
  });

  test('the registration of a client can be silenced', async () => {
    const scenario = await HandlerScenario.open({ handlers: { registration: {} } });
    await scenario.api.silence({ subscription: 'client:web-1' });
    await appear(scenario);
    expect(await scenario.lines('registration')).toEqual([]);
    expect(scenario.logRecords('handler is silenced')).toHaveLength(1);
  });

  test('the registration of a client notifies nobody when no registration handler is defined', async () => {
    const scenario = await HandlerScenario.open();
    await appear(scenario);
    expect(await scenario.lines()).toEqual([]);
    expect(scenario.log.records.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

test('a client that deregisters is removed, and its events are notified as resolved', async () => {
  const scenario = await HandlerScenario.open();
  await appear(scenario);
  const agent = await AgentPeer.connect(scenario.url);
  await agent.join('spool');
  agent.say({
    type: 'results',
    results: [
      { id: 1, check: { name: 'disk', output: 'full', status: 2 } },
      {
        id: 2,
        check: {
          name: 'deregistration',
          output: 'client initiated deregistration',
          status: 1,
          handler: 'deregistration',
        },
      },
    ],
  });
  await agent.waitForAck(2);
  agent.cut();
  await scenario.settled();
  expect(await scenario.api.clients()).toEqual([]);
  expect(await scenario.api.events()).toEqual([]);
  const notifications = await scenario.notifications();
  expect(notifications.map(({ action, check }) => `${action} ${check.name}`)).toEqual(['create disk', 'resolve disk']);
  expect(await scenario.api.deadLetters()).toEqual([]);
});

describe('a client without keepalives', () => {
  test('a client without keepalives notifies the handler keepalive from the first threshold on and when it returns', async () => {
    const scenario = await HandlerScenario.open({ handlers: { default: {}, keepalive: {} } });
    await appear(scenario);
    await scenario.pass(90);
    expect(await scenario.lines('keepalive')).toEqual([]);
    await scenario.pass(90);
    await appear(scenario);
    await scenario.pass(30);
    const notifications = await scenario.notifications('keepalive');
    expect(notifications.map(({ action, check }) => [action, check.status])).toEqual([
      ['create', 1],
      ['create', 1],
      ['create', 2],
      ['resolve', 0],
    ]);
    expect(notifications[0]).toMatchObject({
      check: { name: 'keepalive', output: 'No keepalive sent from client for 120 seconds (>=120)' },
    });
    expect(await scenario.lines()).toEqual([]);
  });

  test('a client without keepalives notifies the handlers of the settings or the client, with their filters', async () => {
    const scenario = await HandlerScenario.open({
      handlers: { desk: { filter: 'occurrences' }, pager: {}, default: {} },
      sensu: { keepalives: { handlers: ['desk'], occurrences: 2 } },
    });
    await appear(scenario);
    const other = await AgentPeer.connect(scenario.url, 'web-2');
    await other.join('spool', { keepalive: { handlers: ['pager'] } });
    other.cut();
    await scenario.pass(150);
    expect((await scenario.notifications('desk')).map(({ client, occurrences }) => [client.name, occurrences])).toEqual(
      [['web-1', 2]],
    );
    expect(
      (await scenario.notifications('pager')).map(({ client, occurrences }) => [client.name, occurrences]),
    ).toEqual([
      ['web-2', 1],
      ['web-2', 2],
    ]);
  });
});

test('an overdue result is notified like any other problem, and the next result in time is notified as resolved', async () => {
  const scenario = await HandlerScenario.open();
  await scenario.report(0, { ttl: 60, ttl_status: 2 });
  await scenario.pass(60);
  await scenario.report(0, { ttl: 60, ttl_status: 2 });
  const notifications = await scenario.notifications();
  expect(notifications.map(({ action, check }) => [action, check.status, check.output])).toEqual([
    ['create', 2, 'Last check execution was 60 seconds ago'],
    ['resolve', 0, 'status 0'],
  ]);
});

test('a notification names the client that a result is about, even if another client has sent the result', async () => {
  const scenario = await HandlerScenario.open();
  const agent = await AgentPeer.connect(scenario.url, 'monitor');
  await agent.join('spool');
  agent.say({
    type: 'results',
    results: [{ id: 1, check: { name: 'ping', output: 'no answer', status: 2, source: 'router-1' } }],
  });
  await agent.waitForAck(1);
  agent.cut();
  expect(await scenario.notifications()).toMatchObject([
    { client: { name: 'router-1', type: 'proxy' }, check: { name: 'ping', origin: 'monitor' } },
  ]);
});
