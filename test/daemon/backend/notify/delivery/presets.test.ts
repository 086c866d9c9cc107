import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PRESET_NAMES } from '../../../../../shared/schemas/preset.ts';
import { anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { PRESET_DEFINITIONS, SERVICE_FORMATS } from '../../../../support/service-formats.ts';

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Seen {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Opens a server that plays a service: it sends this response to every request, and records the requests. */
async function openService(answer: Answer = { status: 200 }) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url, headers } = request;
      seen.push({ target: `${String(method)} ${String(url)}`, headers, body: await text(request) });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { seen, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

/** The request path of each service. */
const TARGETS = {
  slack: '/services/T0/B0/hunter2',
  mattermost: '/hooks/hunter2',
  teams: '/workflows/hunter2?sig=hunter2%2Fand%2Fmore',
  pagerduty: '/v2/enqueue',
  opsgenie: '/v2/alerts',
  'jira-service-management': '/v2/alerts',
  'incident-io': '/v2/alert_events/http/01GW2G3V0S59R238FAHPDS1R66',
  'grafana-irm': '/integrations/v1/formatted_webhook/hunter2/',
  telegram: '/bot1:hunter2/sendMessage',
  ntfy: '/',
} as const;

/** A secret of each request, which the service could repeat in its response. */
const KEYS = {
  slack: '/services/T0/B0/hunter2',
  mattermost: '/hooks/hunter2',
  teams: '?sig=hunter2%2Fand%2Fmore',
  pagerduty: PRESET_DEFINITIONS.pagerduty.routing_key,
  opsgenie: PRESET_DEFINITIONS.opsgenie.api_key,
  'jira-service-management': PRESET_DEFINITIONS['jira-service-management'].api_key,
  'incident-io': PRESET_DEFINITIONS['incident-io'].api_token,
  'grafana-irm': '/integrations/v1/formatted_webhook/hunter2/',
  telegram: PRESET_DEFINITIONS.telegram.api_token,
  ntfy: PRESET_DEFINITIONS.ntfy.api_token,
} as const;

/**
 * Returns a handler definition for a service of the test. For some presets the URL is complete, for others it is the
 * base of the path.
 */
function definition(preset: keyof typeof TARGETS, url: string) {
  const isWhole = ['slack', 'mattermost', 'teams', 'pagerduty', 'incident-io', 'grafana-irm'].includes(preset);
  return { type: 'webhook', ...PRESET_DEFINITIONS[preset], url: isWhole ? `${url}${TARGETS[preset]}` : url };
}

describe.each(PRESET_NAMES)('the webhook preset %s', (preset) => {
  test('the service of a webhook preset gets a valid request at its own path', async () => {
    const service = await openService();
    const rig = new DeliveryRig();
    expect(await rig.run(definition(preset, service.url))).toEqual({ kind: 'delivered' });
    const [seen] = service.seen;
    expect(seen?.target).toBe(`POST ${TARGETS[preset]}`);
    expect(seen?.headers).toMatchObject({ 'content-type': 'application/json', 'x-mon-delivery': '7' });
    expect(SERVICE_FORMATS[preset].safeParse(JSON.parse(seen?.body ?? '')).error).toBeUndefined();
    expect(rig.log.records).toEqual([]);
  });

  test('an error response of the service is logged without the keys of the handler', async () => {
    const service = await openService({ status: 400, body: `no such key:\r\n${KEYS[preset]}\u001b[2J` });
    const rig = new DeliveryRig();
    const outcome = await rig.run(definition(preset, service.url));
    const reason = expect.stringMatching(/ answered 400: no such key: .*REDACTED[^\u001b]*$/) as string;
    expect(outcome).toEqual({ kind: 'failed', isRetryable: false, category: 'response', reason });
    expect(rig.record.fields).toMatchObject({ reason });
    expect(JSON.stringify([outcome, rig.log.records])).not.toContain(KEYS[preset]);
  });

  test('a long error response of the service is truncated without splitting a character', async () => {
    const service = await openService({ status: 400, body: `x${'😀'.repeat(500)}` });
    const outcome = await new DeliveryRig().run(definition(preset, service.url));
    expect('reason' in outcome && outcome.reason.isWellFormed()).toBe(true);
  });

  test.each([301, 307, 308])('a webhook preset does not follow a redirect to another origin: %i', async (status) => {
    const other = await openService();
    const service = await openService({ status, headers: { location: `${other.url}/taken` } });
    const outcome = await new DeliveryRig().run(definition(preset, service.url));
    expect(outcome).toMatchObject({ kind: 'failed', isRetryable: false });
    expect(other.seen).toEqual([]);
  });
});

test.each([
  ['a part of the query in the URL', 'no sig hunter2%2Fand%2Fmore', 'no sig REDACTED'],
  ['a decoded part of the query in the URL', 'no sig hunter2/and/more', 'no sig REDACTED'],
  ['the credentials in the URL', 'no password hunter3', 'no password REDACTED'],
  ['a key that contains another key', 'no key hunter3-and-more', 'no key REDACTED'],
])('the log of a webhook preset redacts %s', async (_title, body, words) => {
  const service = await openService({ status: 400, body });
  const url = `${service.url.replace('//', '//mon:hunter3@')}${TARGETS.teams}`;
  const outcome = await new DeliveryRig().run({
    type: 'webhook',
    preset: 'teams',
    url,
    headers: { 'X-Key': 'hunter3-and-more' },
  });
  expect(outcome).toMatchObject({ reason: `${service.url} answered 400: ${words}` });
});

test('a webhook preset without a URL uses the address of its service', async () => {
  const rig = new DeliveryRig({ names: { 'events.pagerduty.com': '10.0.0.1' } });
  const outcome = await rig.run({ type: 'webhook', ...PRESET_DEFINITIONS.pagerduty });
  expect(outcome).toMatchObject({
    reason: expect.stringContaining('events.pagerduty.com leads to 10.0.0.1') as string,
  });
});

describe('a service that limits the rate of requests', () => {
  test.each<{ answer: Answer; retryAfterMs: number | undefined }>([
    { answer: { status: 429, headers: { 'retry-after': '30' } }, retryAfterMs: 30_000 },
    { answer: { status: 503, headers: { 'retry-after': '7200' } }, retryAfterMs: 3_600_000 },
    { answer: { status: 429, body: '{"parameters":{"retry_after":14}}' }, retryAfterMs: 14_000 },
    { answer: { status: 429 }, retryAfterMs: undefined },
  ])(
    'a webhook preset is retried after the time that the service requests: $answer',
    async ({ answer, retryAfterMs }) => {
      const service = await openService(answer);
      const outcome = await new DeliveryRig().run(definition('telegram', service.url));
      expect(outcome).toMatchObject({ kind: 'failed', isRetryable: true });
      expect('retryAfterMs' in outcome ? outcome.retryAfterMs : undefined).toBe(retryAfterMs);
    },
  );
});

describe('the message of a webhook preset', () => {
  test('secrets in the message of a webhook preset are redacted unless redact is false', async () => {
    const service = await openService();
    const event = anEvent({ client: { name: 'web-1', password: 'hunter2' } });
    const wants = { ...definition('ntfy', service.url), templates: { text: 'it is {{ event.client.password }}' } };
    await new DeliveryRig().run(wants, { job: { event } });
    await new DeliveryRig().run({ ...wants, redact: false }, { job: { event } });
    expect(service.seen.map(({ body }) => (JSON.parse(body) as { message: string }).message)).toEqual([
      'it is REDACTED',
      'it is hunter2',
    ]);
  });

  test('the message of a webhook preset contains the output of the mutator', async () => {
    const service = await openService();
    const rig = new DeliveryRig({ mutators: { short: { command: 'cat > /dev/null; echo mutated' } } });
    await rig.run({ ...definition('ntfy', service.url), mutator: 'short' });
    expect(JSON.parse(service.seen[0]?.body ?? '')).toMatchObject({
      title: 'CRITICAL web-1/disk: mutated',
      message: expect.not.stringContaining('/ is full') as string,
    });
  });

  test('a message template with an expression without a value is logged', async () => {
    const service = await openService();
    const rig = new DeliveryRig();
    await rig.run({ ...definition('ntfy', service.url), templates: { title: 'a {{ event.none.x }}' } });
    expect(rig.record).toMatchObject({
      level: 'warn',
      message: 'an expression in a message template has no value',
      fields: { problem: expect.stringContaining('templates.title') as string },
    });
  });
});
