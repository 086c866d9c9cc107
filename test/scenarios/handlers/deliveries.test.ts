import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { openLineReceiver } from '../../support/line-receiver.ts';
import { runMonctl } from '../../support/run-monctl.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';

const tcp = (port: number): object => ({ type: 'tcp', socket: { host: '127.0.0.1', port } });

describe('a notification that failed', () => {
  test('a failed notification becomes a dead letter without secrets and is delivered by a retry', async () => {
    const port = await freePort();
    const scenario = await HandlerScenario.open({ handlers: { default: tcp(port) } });
    await scenario.api.saveClient({ name: 'web-1', address: '192.0.2.1', password: 'hunter2' });
    for (const status of [2, 0]) await scenario.report(status);
    await scenario.settled();
    const letters = await scenario.api.deadLetters();
    expect(letters).toMatchObject([
      { handler: 'default', client: 'web-1', check: 'disk', attempts: 1, failed_at: scenario.now },
      { handler: 'default' },
    ]);
    const id = letters[0]?.id ?? 0;
    expect(await scenario.api.deadLetter(id)).toMatchObject({
      event: { action: 'create', client: { password: 'REDACTED' } },
    });

    const receiver = await openLineReceiver(port);
    expect(await scenario.api.retryDeadLetters({ handler: 'default' })).toEqual({ retried: 2 });
    await scenario.settled();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
    const notifications = receiver.received.map(
      (text) => JSON.parse(text) as { action: string; client: { password: string } },
    );
    expect(notifications.map(({ action }) => action)).toEqual(['create', 'resolve']);
    expect(notifications[0]?.client.password).toBe('hunter2');
    expect(await scenario.api.deadLetters()).toEqual([]);
  });

  test('a dead letter survives a restart, and monctl lists, retries and drops it', async () => {
    const scenario = await HandlerScenario.open({ handlers: { default: tcp(await freePort()) } });
    for (const source of ['web-1', 'web-2']) await scenario.report(2, { source });
    await scenario.settled();
    const before = await scenario.api.deadLetters();
    await scenario.restart();
    expect(await scenario.api.deadLetters()).toEqual(before);

    const monctl = (...args: readonly string[]) => runMonctl([...args, '--backend', scenario.url]);
    const { stdout } = await monctl('dead-letter', 'list', '--output', 'json');
    expect(JSON.parse(stdout)).toEqual(before);
    const [first, second] = before.map(({ id }) => String(id));
    const info = await monctl('dead-letter', 'info', first ?? '');
    expect(info).toMatchObject({ code: 0, stdout: expect.stringContaining('the connection was refused') as string });
    expect(await monctl('dead-letter', 'drop', second ?? '', '--skip-confirm')).toMatchObject({ code: 0 });
    const receiver = await openLineReceiver();
    await scenario.reload({ handlers: { default: tcp(receiver.port) } });
    expect(await monctl('dead-letter', 'retry', '--all')).toMatchObject({ code: 0 });
    await scenario.settled();
    await vi.waitFor(() =>
      expect(receiver.received.map((text) => JSON.parse(text) as object)).toMatchObject([
        { client: { name: 'web-1' } },
      ]),
    );
    expect(await scenario.api.deadLetters()).toEqual([]);
  });

  test('a notification whose handler was removed becomes a dead letter', async () => {
    const scenario = await HandlerScenario.open({
      handlers: { default: { ...tcp(await freePort()), retry: { attempts: 9, delay: 60 } } },
    });
    await scenario.report(2);
    await scenario.settled();
    await scenario.reload({ handlers: {} });
    await scenario.pass(120);
    expect(await scenario.api.deadLetters()).toMatchObject([{ handler: 'default', reason: 'handler is not defined' }]);
  });
});

describe('a restart', () => {
  test('a restart of the backend loses no queued notification and keeps the order of the queue', async () => {
    const port = await freePort();
    const scenario = await HandlerScenario.open({
      handlers: { default: { ...tcp(port), retry: { attempts: 2, delay: 3600, max_delay: 3600 } } },
    });
    for (const status of [2, 2, 0]) await scenario.report(status);
    await vi.waitFor(async () => expect(await scenario.api.handlers()).toMatchObject([{ retrying: 1, queued: 2 }]));
    await scenario.stop();
    const receiver = await openLineReceiver(port);
    await scenario.start();
    await scenario.settled();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3));
    const notifications = receiver.received.map((text) => JSON.parse(text) as { action: string; occurrences: number });
    expect(notifications.map(({ action, occurrences }) => `${action} ${String(occurrences)}`)).toEqual([
      'create 1',
      'create 2',
      'resolve 2',
    ]);
    await scenario.restart();
    await scenario.settled();
    expect(receiver.received).toHaveLength(3);
  });

  test('a restart of the backend kills a hanging handler and runs the handler again', async () => {
    const scenario = await HandlerScenario.open();
    const hangs = `cat > ${scenario.dir}/begun; [ -e ${scenario.dir}/free ] || sleep 600; echo done >> ${scenario.dir}/default.lines`;
    await scenario.reload({ handlers: { default: { type: 'pipe', command: hangs } } });
    await scenario.report(2);
    const begun = async (): Promise<unknown> => JSON.parse(await readFile(join(scenario.dir, 'begun'), 'utf8'));
    await vi.waitFor(begun);
    const stopping = scenario.stop();
    // A stopping backend waits up to ten seconds for the handler run to end (reliability 11).
    const clock = setInterval(() => scenario.clock.advance(1000), 5);
    await stopping;
    clearInterval(clock);
    await scenario.configure({ handlers: { default: {} } });
    await scenario.start();
    expect(await scenario.actions()).toEqual(['create 2']);
  });
});

describe('a handler that hangs', () => {
  test('a hanging handler delays neither results nor other handlers, and is killed by its timeout', async () => {
    const scenario = await HandlerScenario.open({
      handlers: {
        stuck: { type: 'pipe', command: 'sleep 600', timeout: 60, concurrency: 2, queue_limit: 5 },
        mail: {},
      },
    });
    const handlers = ['stuck', 'mail'];
    const sources = Array.from({ length: 10 }, (_, at) => `web-${String(at)}`);
    for (const source of sources) await scenario.report(2, { source, handlers });
    const figuresOf = async (name: string) => (await scenario.api.handlers()).find((handler) => handler.name === name);
    await vi.waitFor(async () => expect(await figuresOf('mail')).toMatchObject({ delivered: 10 }));
    // The handler executes two runs, and five wait; there is no space in its queue for the other three.
    expect(await figuresOf('stuck')).toMatchObject({ running: 2, queued: 5, failed: 3 });
    const full = { handler: 'stuck', attempts: 0, reason: 'the queue of the handler is full' };
    expect(await scenario.api.deadLetters()).toMatchObject([full, full, full]);
    for (let rounds = 0; rounds < 4; rounds++) {
      await vi.waitFor(async () => expect((await figuresOf('stuck'))?.running).toBe(rounds === 3 ? 1 : 2));
      scenario.clock.advance(60_000);
      await vi.waitFor(async () => expect((await figuresOf('stuck'))?.failed).toBe(3 + Math.min(7, 2 * (rounds + 1))));
    }
    expect(scenario.logRecords('handler output').filter(({ fields }) => fields['handler'] === 'stuck')).toMatchObject(
      Array.from({ length: 7 }, () => ({ level: 'error', fields: { output: 'Execution timed out' } })),
    );
  });
});
