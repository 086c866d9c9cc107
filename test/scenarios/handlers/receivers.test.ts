import { createHmac } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FeedPeer } from '../../support/feed-peer.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { openLineReceiver } from '../../support/line-receiver.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';
import { HttpReceiver } from '../../support/http-receiver.ts';

const SECRETIVE = { name: 'web-1', address: '192.0.2.1', password: 'hunter2', environment: 'production' };

describe('a receiver of TCP', () => {
  test('a TCP receiver gets each event on a separate connection, without a newline at the end', async () => {
    const receiver = await openLineReceiver();
    const scenario = await HandlerScenario.open({
      handlers: { default: { type: 'tcp', socket: { host: '127.0.0.1', port: receiver.port } } },
    });
    for (const status of [2, 0]) await scenario.report(status);
    await scenario.settled();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
    const notifications = receiver.received.map((text) => JSON.parse(text) as { readonly action: string });
    expect(notifications.map(({ action }) => action)).toEqual(['create', 'resolve']);
    expect(receiver.received.join('')).not.toContain('\n');
  });

  test('a TCP receiver that is down is logged, and gets the notification from a retry once it is up', async () => {
    const port = await freePort();
    const socket = { host: '127.0.0.1', port };
    const scenario = await HandlerScenario.open({
      handlers: {
        once: { type: 'tcp', socket },
        stubborn: { type: 'tcp', socket, retry: { attempts: 5, delay: 10, max_delay: 10 } },
      },
    });
    await scenario.report(2, { handlers: ['once', 'stubborn'] });
    await scenario.settled();
    expect(scenario.logRecords('handler error')).toMatchObject([
      {
        level: 'error',
        fields: {
          handler: 'once',
          client: 'web-1',
          check: 'disk',
          reason: 'the connection was refused',
        },
      },
      { level: 'error', fields: { handler: 'stubborn' } },
    ]);
    expect((await scenario.api.deadLetters()).map(({ handler }) => handler)).toEqual(['once']);
    const receiver = await openLineReceiver(port);
    await scenario.pass(10);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    expect(await scenario.api.handlers()).toMatchObject([
      { name: 'once', delivered: 0, failed: 1 },
      { name: 'stubborn', delivered: 1, failed: 0, retrying: 0 },
    ]);
  });
});

test('a UDP receiver gets each event as a datagram', async () => {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  const received: string[] = [];
  socket.on('message', (message) => received.push(message.toString()));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const scenario = await HandlerScenario.open({
    handlers: {
      default: {
        type: 'udp',
        socket: { host: '127.0.0.1', port: socket.address().port },
        mutator: 'only_check_output',
      },
    },
  });
  await scenario.report(2, { output: 'disk full' });
  await vi.waitFor(() => expect(received).toEqual(['disk full']));
});

describe('a receiver of webhooks', () => {
  test('a webhook receiver gets signed events without secrets, unless the definition changes that', async () => {
    const receiver = await HttpReceiver.open();
    const scenario = await HandlerScenario.open({
      handlers: {
        default: { type: 'webhook', url: receiver.url, secret: 'between-us', headers: { 'X-Team': 'ops' } },
        trusted: { type: 'webhook', url: receiver.url, redact: false },
        shy: { redact: true },
        program: {},
      },
    });
    await scenario.api.saveClient(SECRETIVE);
    await scenario.report(2, { api_key: 'hunter2' });
    await scenario.settled();
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    expect(body).not.toContain('hunter2');
    expect(JSON.parse(body)).toMatchObject({
      client: { password: 'REDACTED', environment: 'production' },
      check: { api_key: 'REDACTED', output: 'status 2' },
    });
    const signed = createHmac('sha256', 'between-us')
      .update(`${String(scenario.now)}.${body}`)
      .digest('hex');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-team': 'ops',
      'x-mon-timestamp': String(scenario.now),
      'x-mon-signature': `sha256=${signed}`,
    });

    await scenario.report(2, { handlers: ['trusted', 'shy', 'program'] });
    await scenario.settled();
    expect(receiver.received[1]?.body).toContain('hunter2');
    expect(receiver.received[1]?.headers).not.toHaveProperty('x-mon-signature');
    expect((await scenario.lines('shy')).join('')).not.toContain('hunter2');
    expect(await scenario.notifications('program')).toMatchObject([{ client: { password: 'hunter2' } }]);
  });

  test('a webhook receiver that recovers gets all notifications in order, and retries keep the delivery id', async () => {
    const receiver = await HttpReceiver.open();
    const scenario = await HandlerScenario.open({ handlers: { default: { type: 'webhook', url: receiver.url } } });
    receiver.status = 503;
    for (const status of [2, 0]) await scenario.report(status);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    // The notification of the resolved event waits until that of the firing event is delivered.
    await vi.waitFor(async () => expect(await scenario.api.handlers()).toMatchObject([{ retrying: 1, queued: 1 }]));
    receiver.status = 204;
    scenario.clock.advance(2000);
    await scenario.settled();
    const tries = receiver.received.map(({ headers, body, status }) => ({
      delivery: headers['x-mon-delivery'],
      action: (JSON.parse(body) as { readonly action: string }).action,
      status,
    }));
    expect(tries.map(({ action, status }) => [action, status])).toEqual([
      ['create', 503],
      ['create', 204],
      ['resolve', 204],
    ]);
    expect(tries[1]?.delivery).toBe(tries[0]?.delivery);
    expect(tries[2]?.delivery).not.toBe(tries[0]?.delivery);
    expect(await scenario.api.deadLetters()).toEqual([]);
  });

  test('a webhook receiver that rejects a notification gets no second request', async () => {
    const receiver = await HttpReceiver.open();
    const scenario = await HandlerScenario.open({ handlers: { default: { type: 'webhook', url: receiver.url } } });
    receiver.status = 400;
    await scenario.report(2);
    await scenario.pass(300);
    expect(receiver.received).toHaveLength(1);
    expect(await scenario.api.deadLetters()).toMatchObject([
      { handler: 'default', attempts: 1, reason: expect.stringContaining('answered 400') as string },
    ]);
  });
});

test('a transport handler sends messages without secrets to the feed and with secrets to a file', async () => {
  const scenario = await HandlerScenario.open();
  const file = join(scenario.dir, 'alerts.jsonl');
  await scenario.reload({
    handlers: { default: { type: 'transport', pipe: { type: 'topic', name: 'alerts', options: { file } } } },
  });
  await scenario.api.saveClient(SECRETIVE);
  const listener = await FeedPeer.subscribe(scenario.url, { topics: [], transports: ['alerts'] });
  const other = await FeedPeer.subscribe(scenario.url, { transports: ['others'] });
  onTestFinished(() => {
    for (const { socket } of [listener, other]) socket.terminate();
  });
  // The feed uses the clock of the test, so it only sends messages when the test advances the clock.
  const heard = (peer: FeedPeer, type: 'live' | 'message'): Promise<void> =>
    vi.waitFor(() => {
      scenario.clock.advance(100);
      expect(peer.all(type)).toHaveLength(1);
    });
  await heard(listener, 'live');
  await heard(other, 'live');
  await scenario.report(2);
  await heard(listener, 'message');
  const message = await listener.hears('message');
  expect(message.transport).toBe('alerts');
  expect(JSON.parse(message.data)).toMatchObject({ action: 'create', client: { name: 'web-1', password: 'REDACTED' } });
  await scenario.settled();
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ client: { password: 'hunter2' } });
  expect(other.all('message')).toEqual([]);
});
