import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { HttpReceiver } from '../../support/http-receiver.ts';
import { openMailServer } from '../../support/mail-server.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';

const SECRET = 'hunter2';

/** Starts a backend with these handlers and the event web-1/disk. */
async function backendWith(handlers: object): Promise<(...line: string[]) => Promise<MonctlRun>> {
  const backend = await startBackend({ settings: { handlers }, batcher: { batchLimit: 1 } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const result = { source: 'web-1', name: 'disk', output: 'full', status: 2, password: SECRET, handlers: ['none'] };
  await fetch(`${backend.url}/results`, { method: 'POST', body: JSON.stringify(result) });
  return (...line) => runMonctl(['handler', 'test', ...line], { MON_BACKEND: backend.url });
}

describe('the dry run of a handler test', () => {
  let backend: RunningBackend;
  beforeAll(async () => {
    const url = `https://hooks.example.com/${SECRET}`;
    const smtp = { host: 'mx', user: 'mon', password: SECRET };
    const handlers = {
      json: { type: 'webhook', url, secret: SECRET, headers: { 'X-Key': SECRET }, redact: false },
      slack: { type: 'webhook', preset: 'slack', url },
      pagerduty: { type: 'webhook', preset: 'pagerduty', routing_key: SECRET },
      opsgenie: { type: 'webhook', preset: 'opsgenie', api_key: SECRET },
      telegram: { type: 'webhook', preset: 'telegram', api_token: SECRET, chat: 1 },
      ntfy: { type: 'webhook', preset: 'ntfy', topic: SECRET, api_token: SECRET },
      mail: { type: 'email', smtp, from: 'mon@example.com', to: 'ops@example.com', redact: false },
      pipe: { type: 'pipe', command: 'exit 1', env_vars: [`KEY=${SECRET}`] },
      tcp: { type: 'tcp', socket: { host: '127.0.0.1', port: 1 }, mutator: 'only_check_output' },
      udp: { type: 'udp', socket: { host: '127.0.0.1', port: 1 } },
      out: { type: 'transport', pipe: { type: 'topic', name: 'events' } },
      holes: {
        type: 'webhook',
        preset: 'ntfy',
        topic: 'x',
        templates: { title: '{{ event.none.x }}', text: '{{ event.check.password }} {{ event.check.status }}' },
      },
    };
    backend = await startBackend({ settings: { handlers }, batcher: { batchLimit: 1 } });
    const result = { source: 'web-1', name: 'disk', output: 'full', status: 2, password: SECRET, handlers: ['none'] };
    await fetch(`${backend.url}/results`, { method: 'POST', body: JSON.stringify(result) });
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  const dryRun = async (name: string, ...more: string[]): Promise<Record<string, unknown>> => {
    const line = ['handler', 'test', name, '--dry-run', '--output', 'json', ...more];
    const { code, stdout, stderr } = await runMonctl(line, { MON_BACKEND: backend.url });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain(SECRET);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  test.each([
    ['json', { method: 'POST', url: 'https://hooks.example.com/REDACTED', body: '"password":"REDACTED"' }],
    ['slack', { url: 'https://hooks.example.com/REDACTED', body: 'CRITICAL web-1/disk: full' }],
    ['pagerduty', { url: 'https://events.pagerduty.com/v2/enqueue', body: '"routing_key":"REDACTED"' }],
    ['opsgenie', { url: 'https://api.opsgenie.com/v2/alerts', headers: 'GenieKey REDACTED' }],
    ['telegram', { url: 'https://api.telegram.org/botREDACTED/sendMessage', body: '"chat_id":1' }],
    ['ntfy', { headers: 'Bearer REDACTED', body: '"topic":"REDACTED"' }],
    [
      'mail',
      {
        smtp: '"password":"REDACTED"',
        to: 'ops@example.com',
        subject: 'CRITICAL web-1/disk: full',
        html: 'CRITICAL web-1/disk: full</h3>',
      },
    ],
    ['pipe', { command: 'exit 1', input: '"password":"REDACTED"' }],
    ['tcp', { socket: '"port":1', data: 'full' }],
    ['udp', { data: '"name":"disk"' }],
    ['out', { pipe: '"name":"events"', data: '"name":"disk"' }],
    ['holes', { body: '"message":"REDACTED 2"', problems: 'templates.title: {{ event.none.x }} has no value' }],
  ])('the dry run of the handler %s shows its message without secrets', async (name, parts) => {
    const { preview, outcome, ...about } = await dryRun(name, '--event', 'web-1/disk');
    expect([about['handler'], about['client'], about['check'], outcome]).toEqual([name, 'web-1', 'disk', null]);
    for (const [part, text] of Object.entries(parts)) {
      const shown = (preview as Record<string, unknown>)[part];
      const printed = typeof shown === 'string' ? shown : JSON.stringify(shown);
      expect(printed.replaceAll(String.raw`\"`, '"')).toContain(text);
    }
  });

  test('the dry run of a handler test uses an example event unless an event is named', async () => {
    expect(await dryRun('pagerduty')).toMatchObject({
      client: 'mon-test',
      check: 'handler-test',
      preview: {
        body: { payload: { summary: expect.stringContaining('This is a test of the handler pagerduty') as string } },
      },
    });
  });

  test('the dry run of a handler test leaves no record in the audit trail', async () => {
    const api = openApiClient({ backend: backend.url, env: {} });
    expect((await api.audit({})).map(({ action }) => action)).not.toContain('handler.test');
  });
});

test('monctl handler test sends the notification and prints the response and its duration', async () => {
  const receiver = await HttpReceiver.open();
  const { mails, port } = await openMailServer();
  const monctl = await backendWith({
    chat: { type: 'webhook', preset: 'slack', url: receiver.url, severities: ['unknown'] },
    mail: {
      type: 'email',
      smtp: { host: '127.0.0.1', port, tls: 'none' },
      from: 'mon@example.com',
      to: 'ops@example.com',
    },
  });
  const chat = await monctl('chat', '--event', 'web-1/disk');
  expect([chat.code, chat.stderr]).toEqual([0, '']);
  expect(chat.stdout).toMatch(/CRITICAL web-1\/disk: full[^]*\n\ndelivered in \d+\.\d{3} s: 204\n$/);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { text: string }).text)).toEqual([
    'CRITICAL web-1/disk: full',
  ]);
  const mail = await monctl('mail');
  expect(mail.stdout).toMatch(/delivered in \d+\.\d{3} s: 250 .*taken as 4711\n$/);
  expect(mails[0]?.raw).toMatch(/This is a test of the handler mail:\s+nothing is wrong\./);
});

test('each handler test is a new delivery, so that no receiver treats it as a repeat', async () => {
  const receiver = await HttpReceiver.open();
  const monctl = await backendWith({ chat: { type: 'webhook', url: receiver.url } });
  await monctl('chat', '--event', 'web-1/disk');
  await monctl('chat', '--event', 'web-1/disk');
  const ids = receiver.received.map(({ headers }) => headers['x-mon-delivery']);
  expect(new Set(ids).size).toBe(2);
});

test('a handler test names the recipients that a mail server rejects', async () => {
  const { port } = await openMailServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('no') ? new Error('not you') : null),
  });
  const to = ['ops@example.com', 'nobody@example.com'];
  const smtp = { host: '127.0.0.1', port, tls: 'none' };
  const monctl = await backendWith({ mail: { type: 'email', smtp, from: 'mon@example.com', to } });
  expect((await monctl('mail')).stdout).toMatch(/delivered in .*: refused for nobody@example\.com; 250 /);
});

describe('a handler that hangs in a test', () => {
  const HANGS = { hangs: { type: 'pipe', command: 'exec sleep 1000' } };

  test('a hanging handler is tested only a few times at once, and the tests end with the backend', async () => {
    const backend = await startBackend({ settings: { handlers: HANGS }, batcher: { batchLimit: 1 } });
    const ask = (body: object): Promise<Response> =>
      fetch(`${backend.url}/api/mon/v1/handlers/hangs/test`, { method: 'POST', body: JSON.stringify(body) });
    const hanging = Array.from({ length: 5 }, () => ask({}));
    await vi.waitFor(async () => expect((await ask({ dry_run: true })).status).toBe(503));
    expect(await (await ask({ dry_run: true })).json()).toMatchObject({
      error: '5 handlers are being tested: try again when one of them has finished',
    });
    await backend[Symbol.asyncDispose]();
    for (const answer of await Promise.all(hanging)) {
      expect(await answer.json()).toMatchObject({ outcome: { delivered: false, reason: 'the backend is stopping' } });
    }
  });
});

test('a failed handler test is reported and audited, and is no dead letter', async () => {
  const receiver = await HttpReceiver.open();
  receiver.status = 503;
  const backend = await startBackend({
    settings: { handlers: { chat: { type: 'webhook', url: receiver.url } } },
    batcher: { batchLimit: 1 },
  });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const { code, stdout, stderr } = await runMonctl(['handler', 'test', 'chat'], { MON_BACKEND: backend.url });
  expect([code, stderr]).toEqual([1, expect.stringContaining('the handler failed')]);
  expect(stdout).toMatch(/\nfailed after \d+\.\d{3} s: http:\/\/127\.0\.0\.1:\d+ answered 503\n$/);
  const api = openApiClient({ backend: backend.url, env: {} });
  expect(receiver.received).toHaveLength(1);
  expect(await api.deadLetters()).toEqual([]);
  expect(await api.audit({})).toMatchObject([
    { action: 'handler.test', target: 'chat', after: { client: 'mon-test', check: 'handler-test' } },
  ]);
});

test.each([
  [['nope'], 3, 'there is no handler nope'],
  [['all'], 2, 'all is a set: test its members chat'],
  [['chat', '--event', 'web-1/none'], 3, 'there is no event of web-1/none'],
  [['chat', '--event', 'web-1'], 2, '--event: expected CLIENT/CHECK'],
])('the handler test %j is rejected', async (line, code, message) => {
  const monctl = await backendWith({
    chat: { type: 'pipe', command: 'true' },
    all: { type: 'set', handlers: ['chat'] },
  });
  const run = await monctl(...line);
  expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)]);
});
