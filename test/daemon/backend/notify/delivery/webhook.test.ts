import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../../../../shared/schemas/version.ts';
import { anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { makeCertificate } from '../../../../support/make-certificate.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { deadUrl } from '../../../../support/scripted-server.ts';

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Opens a receiver of webhooks with scripted responses, which records the requests. */
async function openReceiver(answer: (seen: Seen, response: ServerResponse) => void, host = '127.0.0.1') {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url, headers } = request;
      const one = { method, path: url, headers, body: await text(request) };
      seen.push(one);
      answer(one, response);
    })();
  }).listen(0, host);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    port,
    url: `http://127.0.0.1:${String(port)}/hook`,
    get connections() {
      return connections;
    },
  };
}

const ok = (_seen: Seen, response: ServerResponse): void => void response.writeHead(204).end();

describe('a webhook', () => {
  test('a webhook posts the event as JSON', async () => {
    const receiver = await openReceiver(ok);
    const rig = new DeliveryRig();
    expect(await rig.run({ type: 'webhook', url: receiver.url })).toEqual({ kind: 'delivered' });
    const [seen] = receiver.seen;
    expect(seen).toMatchObject({ method: 'POST', path: '/hook', body: JSON.stringify(anEvent()) });
    expect(seen?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': `mon/${VERSION}`,
      'x-mon-event-id': anEvent().id,
      'x-mon-delivery': '7',
    });
    expect(seen?.headers).not.toHaveProperty('x-mon-signature');
    expect(rig.log.records).toEqual([]);
  });

  test('a webhook signs the time and the body with its secret', async () => {
    const receiver = await openReceiver(ok);
    const rig = new DeliveryRig({ clock: new ManualClock() });
    await rig.run({ type: 'webhook', url: receiver.url, secret: 'shared' });
    const [seen] = receiver.seen;
    const timestamp = String(ManualClock.START_MS / 1000);
    const hash = createHmac('sha256', 'shared')
      .update(`${timestamp}.${JSON.stringify(anEvent())}`)
      .digest('hex');
    expect(seen?.headers).toMatchObject({ 'x-mon-timestamp': timestamp, 'x-mon-signature': `sha256=${hash}` });
  });

  test('the headers of a webhook override the default ones', async () => {
    const receiver = await openReceiver(ok);
    const headers = { Authorization: 'Bearer 1', 'Content-Type': 'text/plain' };
    await new DeliveryRig().run({ type: 'webhook', url: receiver.url, headers });
    expect(receiver.seen[0]?.headers).toMatchObject({ authorization: 'Bearer 1', 'content-type': 'text/plain' });
  });

  test.each<{ redact: boolean | undefined; password: string }>([
    { redact: undefined, password: 'REDACTED' },
    { redact: true, password: 'REDACTED' },
    { redact: false, password: 'hunter2' },
  ])('a webhook sends secrets only if redact is false: redact is $redact', async ({ redact, password }) => {
    const receiver = await openReceiver(ok);
    const event = anEvent({ client: { name: 'web-1', password: 'hunter2' } });
    await new DeliveryRig().run({ type: 'webhook', url: receiver.url, redact }, { job: { event } });
    expect(JSON.parse(receiver.seen[0]?.body ?? '')).toMatchObject({ client: { password } });
  });

  test('a webhook posts the output of its mutator, even if the output is empty', async () => {
    const receiver = await openReceiver(ok);
    const rig = new DeliveryRig({ mutators: { nothing: { command: 'true' } } });
    await rig.run({ type: 'webhook', url: receiver.url, mutator: 'only_check_output' });
    await rig.run({ type: 'webhook', url: receiver.url, mutator: 'nothing', secret: 'shared' });
    expect(receiver.seen.map(({ method, body }) => [method, body])).toEqual([
      ['POST', anEvent().check.output],
      ['POST', ''],
    ]);
  });

  test('a webhook can send to an IPv6 address', async () => {
    const receiver = await openReceiver(ok, '::1');
    const url = `http://[::1]:${String(receiver.port)}/hook`;
    expect(await new DeliveryRig().run({ type: 'webhook', url })).toEqual({ kind: 'delivered' });
  });

  test('a webhook reuses its connection for the next event', async () => {
    const receiver = await openReceiver((_seen, response) => void response.end('thank you'));
    const rig = new DeliveryRig();
    for (let run = 0; run < 5; run++) await rig.run({ type: 'webhook', url: receiver.url });
    expect([receiver.seen.length, receiver.connections]).toEqual([5, 1]);
  });
});

describe('the response to a webhook', () => {
  test('a webhook reads at most 64 KiB of a response that does not end', async () => {
    const piece = Buffer.alloc(16 * 1024, 'x');
    const receiver = await openReceiver((_seen, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write).writeHead(200);
      write();
    });
    const startedAt = performance.now();
    const outcome = await new DeliveryRig().run({ type: 'webhook', url: receiver.url, timeout: 60 });
    expect(outcome).toEqual({ kind: 'delivered' });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test.each<{ status: number; isRetryable: boolean }>([
    { status: 400, isRetryable: false },
    { status: 401, isRetryable: false },
    { status: 404, isRetryable: false },
    { status: 410, isRetryable: false },
    { status: 408, isRetryable: true },
    { status: 425, isRetryable: true },
    { status: 429, isRetryable: true },
    { status: 500, isRetryable: true },
    { status: 502, isRetryable: true },
    { status: 503, isRetryable: true },
  ])(
    'a webhook whose response has the status $status fails and is retried: $isRetryable',
    async ({ status, isRetryable }) => {
      const receiver = await openReceiver((_seen, response) => void response.writeHead(status).end());
      const rig = new DeliveryRig();
      const reason = `http://127.0.0.1:${String(receiver.port)} answered ${String(status)}`;
      expect(await rig.run({ type: 'webhook', url: receiver.url })).toEqual({
        kind: 'failed',
        reason,
        category: 'response',
        isRetryable,
      });
      // The webhook sends a single request, because the runner of the jobs decides about retries.
      expect(receiver.seen).toHaveLength(1);
      expect(rig.record).toMatchObject({ level: 'error', message: 'handler error', fields: { reason } });
    },
  );

  test('a webhook closes the connection while a long response is still being sent', async () => {
    let isCut = false;
    const receiver = await openReceiver((_seen, response) => {
      response.on('close', () => (isCut = !response.writableFinished));
      const more = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    expect(await new DeliveryRig().run({ type: 'webhook', url: receiver.url })).toEqual({ kind: 'delivered' });
    await expect.poll(() => isCut).toBe(true);
  });

  test(
    'a webhook succeeds by the status of the response, even if the response never ends',
    { tags: 'slow' },
    async () => {
      const receiver = await openReceiver((_seen, response) => void response.writeHead(200).write('and'));
      // The timeout is longer than the first byte takes on a busy machine, and short enough for a test.
      expect(await new DeliveryRig().run({ type: 'webhook', url: receiver.url, timeout: 3 })).toEqual({
        kind: 'delivered',
      });
    },
  );

  test.each<{ timeout: number | undefined; ms: number }>([
    { timeout: undefined, ms: 10_000 },
    { timeout: 0.5, ms: 500 },
  ])('a webhook that gets no response fails after its timeout: $timeout', async ({ timeout, ms }) => {
    const clock = new ManualClock();
    const receiver = await openReceiver(() => undefined);
    const rig = new DeliveryRig({ clock });
    const running = rig.run({ type: 'webhook', url: receiver.url, timeout });
    await expect.poll(() => receiver.seen.length).toBe(1);
    clock.advance(ms - 1);
    expect(rig.log.records).toEqual([]);
    clock.advance(1);
    const reason = `it took longer than ${String(ms / 1000)} s`;
    expect(await running).toEqual({ kind: 'failed', reason, category: 'timeout', isRetryable: true });
  });

  test('a webhook whose connection is closed before the response fails and is retried', async () => {
    const receiver = await openReceiver((_seen, response) => response.destroy());
    expect(await new DeliveryRig().run({ type: 'webhook', url: receiver.url })).toEqual({
      kind: 'failed',
      reason: 'the connection was lost',
      category: 'connection',
      isRetryable: true,
    });
  });
});

test('a webhook whose connection is refused fails and is retried', async () => {
  const rig = new DeliveryRig();
  const outcome = await rig.run({ type: 'webhook', url: await deadUrl() });
  expect(outcome).toEqual({
    kind: 'failed',
    reason: 'the connection was refused',
    category: 'connection',
    isRetryable: true,
  });
});

test('an https webhook to a server without TLS fails with a clear reason', async () => {
  const { url } = await openReceiver((_seen, response) => response.end());
  const outcome = await new DeliveryRig().run({ type: 'webhook', url: url.replace('http:', 'https:') });
  expect(outcome).toEqual({
    kind: 'failed',
    reason: 'what answers does not speak TLS: check whether the definition should ask for it, and the port',
    category: 'connection',
    isRetryable: true,
  });
});

test('a webhook is aborted when the backend stops', async () => {
  const receiver = await openReceiver(() => undefined);
  const stopping = new AbortController();
  const rig = new DeliveryRig();
  const running = rig.run({ type: 'webhook', url: receiver.url }, { signal: stopping.signal });
  await expect.poll(() => receiver.seen.length).toBe(1);
  stopping.abort();
  expect(await running).toMatchObject({ reason: 'the backend is stopping' });
  expect(rig.log.records).toEqual([]);
});

test('the secrets in the URL of a webhook appear neither in the log nor in the failure reason', async () => {
  const receiver = await openReceiver((_seen, response) => void response.writeHead(500).end());
  const url = `http://user:hunter2@127.0.0.1:${String(receiver.port)}/services/T000/hunter2?token=hunter2`;
  const rig = new DeliveryRig();
  const outcome = await rig.run({ type: 'webhook', url, secret: 'hunter2', headers: { 'X-Token': 'hunter2' } });
  expect(receiver.seen[0]?.headers.authorization).toMatch(/^Basic /);
  expect(JSON.stringify([outcome, rig.log.records])).not.toContain('hunter2');
});

/** Opens a receiver that responds at /hook with a redirect, and accepts other requests. */
async function redirecting(status: number, location: (port: number) => string) {
  const receiver = await openReceiver((seen, response) => {
    if (seen.path !== '/hook') ok(seen, response);
    else response.writeHead(status, { location: location(receiver.port) }).end();
  });
  return receiver;
}

describe('a webhook that is redirected', () => {
  /** Handlers may connect to these networks, because the receivers of the tests listen on loopback. */
  const networks = ['127.0.0.0/8'];
  const confidential = { secret: 'shared', headers: { 'X-Token': 'mine' } };

  test.each([307, 308])(
    'a webhook that is redirected with %i within its origin sends the event and all headers again',
    async (status) => {
      const receiver = await redirecting(status, () => '/moved');
      const rig = new DeliveryRig({ networks });
      expect(await rig.run({ type: 'webhook', url: receiver.url, ...confidential })).toEqual({ kind: 'delivered' });
      const [, moved] = receiver.seen;
      expect(moved).toMatchObject({ method: 'POST', path: '/moved', body: JSON.stringify(anEvent()) });
      expect(moved?.headers).toMatchObject({
        'x-token': 'mine',
        'x-mon-signature': expect.stringMatching(/^sha256=/),
        'x-mon-delivery': '7',
      });
    },
  );

  test('a webhook that is redirected to another origin omits the signature and its own headers', async () => {
    const other = await openReceiver(ok);
    const receiver = await redirecting(307, () => other.url);
    const rig = new DeliveryRig({ networks });
    const url = receiver.url.replace('//', '//user:hunter2@');
    expect(await rig.run({ type: 'webhook', url, ...confidential })).toEqual({ kind: 'delivered' });
    const [moved] = other.seen;
    expect(moved?.body).toBe(JSON.stringify(anEvent()));
    for (const name of ['x-token', 'x-mon-signature', 'x-mon-timestamp', 'authorization']) {
      expect(moved?.headers).not.toHaveProperty(name);
    }
  });

  test('a webhook that is redirected with 303 sends a GET without the event', async () => {
    const receiver = await redirecting(303, () => '/seen');
    expect(await new DeliveryRig({ networks }).run({ type: 'webhook', url: receiver.url })).toEqual({
      kind: 'delivered',
    });
    expect(receiver.seen[1]).toMatchObject({ method: 'GET', path: '/seen', body: '' });
    expect(receiver.seen[1]?.headers).not.toHaveProperty('content-type');
  });

  test.each([301, 302])(
    'a webhook that is redirected with %i fails, because the redirect would lose the event',
    async (status) => {
      const receiver = await redirecting(status, () => '/moved');
      expect(await new DeliveryRig({ networks }).run({ type: 'webhook', url: receiver.url })).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('put its new address into the definition'),
        isRetryable: false,
      });
      expect(receiver.seen).toHaveLength(1);
    },
  );

  test('a webhook follows at most three redirects', async () => {
    const receiver = await openReceiver(({ path = '' }, response) => {
      const hops = Number(/\d+$/.exec(path)?.[0] ?? 0);
      response.writeHead(307, { location: `/hook${String(hops + 1)}` }).end();
    });
    expect(await new DeliveryRig({ networks }).run({ type: 'webhook', url: receiver.url })).toEqual({
      kind: 'failed',
      reason: 'redirected more than 3 times',
      category: 'response',
      isRetryable: false,
    });
    expect(receiver.seen.map(({ path }) => path)).toEqual(['/hook', '/hook1', '/hook2', '/hook3']);
  });

  test.each<{ target: string; expectedReason: string }>([
    { target: 'http://127.0.0.1:PORT/inside', expectedReason: '127.0.0.1 is a loopback address' },
    { target: '/inside', expectedReason: '127.0.0.1 is a loopback address' },
    { target: 'http://localhost:PORT/inside', expectedReason: 'which is a loopback address' },
    { target: 'http://2130706433:PORT/inside', expectedReason: '127.0.0.1 is a loopback address' },
    { target: 'http://0x7f.1:PORT/inside', expectedReason: '127.0.0.1 is a loopback address' },
    { target: 'http://[::ffff:127.0.0.1]:PORT/inside', expectedReason: '::ffff:7f00:1 is a loopback address' },
    { target: 'http://169.254.169.254/latest/meta-data', expectedReason: '169.254.169.254 is a link-local address' },
    { target: 'http://inside.example.com:PORT/inside', expectedReason: 'inside.example.com leads to 10.0.0.1' },
  ])('a webhook that is redirected into the own network fails: $target', async ({ target, expectedReason }) => {
    const receiver = await redirecting(307, (port) => target.replace('PORT', String(port)));
    const names = { localhost: '127.0.0.1', 'inside.example.com': '10.0.0.1' };
    // The URL of the definition itself may be a loopback address, unlike the target of a redirect.
    const outcome = await new DeliveryRig({ names }).run({ type: 'webhook', url: receiver.url });
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(expectedReason),
      isRetryable: false,
    });
    expect(receiver.seen).toHaveLength(1);
  });

  test('a redirect from https to http is rejected because the event could be read in transit', async () => {
    const plain = await openReceiver(ok);
    const authority = makeCertificate('tests', { isAuthority: true });
    const { cert, key } = makeCertificate('127.0.0.1', { names: ['127.0.0.1'], issuer: authority });
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, authority.cert]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    const secure = createSecureServer({ cert, key }, (_request, response) => {
      response.writeHead(307, { location: plain.url }).end();
    }).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    onTestFinished(() => {
      secure.closeAllConnections();
      secure.close();
    });
    const url = `https://127.0.0.1:${String((secure.address() as AddressInfo).port)}/hook`;
    expect(await new DeliveryRig({ networks }).run({ type: 'webhook', url })).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/redirects to http:.*everybody on the way could read along/),
      isRetryable: false,
    });
    expect(plain.seen).toEqual([]);
  });

  test('a redirect of a service preset is followed within its origin only', async () => {
    const service = { type: 'webhook', preset: 'slack' } as const;
    const moved = await redirecting(307, () => '/moved');
    expect(await new DeliveryRig({ networks }).run({ ...service, url: moved.url })).toEqual({ kind: 'delivered' });
    expect(moved.seen.map(({ path }) => path)).toEqual(['/hook', '/moved']);
    const other = await openReceiver(ok);
    const leaving = await redirecting(307, () => other.url);
    expect(await new DeliveryRig({ networks }).run({ ...service, url: leaving.url })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('which must not see the key of the service'),
      isRetryable: false,
    });
    expect(other.seen).toEqual([]);
  });

  test.each<{ location: string | undefined; expectedReason: string }>([
    { location: 'ftp://example.com/', expectedReason: 'redirects to what is no address' },
    { location: 'http://[', expectedReason: 'redirects to what is no address' },
    { location: undefined, expectedReason: 'answered 307 without a place to go' },
  ])('a webhook that is redirected to the invalid location $location fails', async ({ location, expectedReason }) => {
    const receiver = await openReceiver((_seen, response) => {
      response.writeHead(307, location === undefined ? {} : { location }).end();
    });
    expect(await new DeliveryRig({ networks }).run({ type: 'webhook', url: receiver.url })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(expectedReason),
      isRetryable: false,
    });
  });
});

describe('the host name of a webhook', () => {
  test('a webhook whose host name resolves to an address in the own network is rejected', async () => {
    const receiver = await openReceiver(ok);
    const rig = new DeliveryRig({ names: { 'hooks.example.com': '127.0.0.1' } });
    const url = `http://hooks.example.com:${String(receiver.port)}/`;
    expect(await rig.run({ type: 'webhook', url })).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/hooks\.example\.com leads to 127\.0\.0\.1.*handler-networks/),
      isRetryable: false,
    });
    expect(receiver.seen).toEqual([]);
  });

  test('a webhook sends to the address of its host name that was checked', async () => {
    const receiver = await openReceiver(ok);
    const rig = new DeliveryRig({ names: { 'hooks.example.com': '127.0.0.1' }, networks: ['127.0.0.0/8'] });
    const url = `http://hooks.example.com:${String(receiver.port)}/`;
    expect(await rig.run({ type: 'webhook', url })).toEqual({ kind: 'delivered' });
    expect(receiver.seen[0]?.headers.host).toBe(`hooks.example.com:${String(receiver.port)}`);
  });

  test('a webhook can send to localhost if its definition names localhost', async () => {
    const receiver = await openReceiver(ok);
    const url = `http://localhost:${String(receiver.port)}/`;
    expect(await new DeliveryRig().run({ type: 'webhook', url })).toEqual({ kind: 'delivered' });
  });
});
