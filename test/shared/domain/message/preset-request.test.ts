import { describe, expect, test } from 'vitest';
import { presetRequest, type PresetHandler } from '../../../../shared/domain/message/preset-request.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import { PRESET_NAMES, type Preset } from '../../../../shared/schemas/preset.ts';
import { anEvent } from '../../../support/a-job.ts';
import { PRESET_DEFINITIONS, SERVICE_FORMATS } from '../../../support/service-formats.ts';

/** Twenty-two minutes after the event of `anEvent` began. */
const NOW_MS = (1_767_225_600 + 22 * 60) * 1000;

type About = Parameters<typeof anEvent>[0];

function requestOf(preset: Preset, about: About = {}, more: object = {}) {
  const handler = handlerSchema.parse({ type: 'webhook', ...PRESET_DEFINITIONS[preset], ...more }) as PresetHandler;
  const told = { namespace: 'default', event: anEvent(about), output: undefined, nowMs: NOW_MS };
  const request = presetRequest(handler, told);
  // The request is sent as JSON, so the test compares the parsed JSON.
  const body = JSON.parse(JSON.stringify(request.body)) as unknown;
  expect(SERVICE_FORMATS[preset].safeParse(body).error?.issues ?? []).toEqual([]);
  return { ...request, body };
}

const ADA = { by: 'ada', at: 1_767_225_700, note: 'on it' };

const EVENTS: readonly (readonly [title: string, about: About])[] = [
  ['a problem', {}],
  ['a resolution', { action: 'resolve', check: { status: 0, output: 'OK: fine' } }],
  ['a silenced problem', { silenced: true, silenced_by: ['client:web-1:*'] }],
  ['an acknowledged problem', { acknowledgement_started: true, acknowledged: ADA }],
  ['an unknown status without output', { check: { status: 3, output: '' } }],
  ['a huge output', { check: { output: 'full '.repeat(100_000) } }],
  ['a huge output of markup characters', { check: { output: '<&>"\'`*_[]@'.repeat(20_000) } }],
  ['a huge output of wide characters', { check: { output: '😀 '.repeat(30_000) } }],
  ['many lines', { check: { output: 'a\n'.repeat(30_000) } }],
  ['control bytes', { check: { output: '\u0000\u001b[31mred\u001b[0m\r\nBcc: x\u202e' } }],
  ['an output with code fences', { check: { output: '```\n<!channel> @all\n```' } }],
  ['long names', { client: { name: 'c'.repeat(600) }, check: { name: 'd'.repeat(600) } }],
  [
    'a long list of silences',
    { silenced: true, silenced_by: Array.from({ length: 200 }, (_, at) => `s${String(at)}:*`) },
  ],
];

describe.each(PRESET_NAMES)('the payload of the preset %s', (preset) => {
  test.each(EVENTS)('the payload of the preset for %s is as documented', (_title, about) => {
    expect(requestOf(preset, about).problems).toEqual([]);
  });

  test.each(EVENTS)('the payload of the preset with templates for %s is as documented', (_title, about) => {
    const templates = { title: '{{ event.client.name }}: {{ output }}', text: 'It says {{ event.check.output }}' };
    expect(requestOf(preset, about, { templates }).problems).toEqual([]);
  });

  test('the payload of a preset whose template yields an empty text is as documented', () => {
    const { problems } = requestOf(preset, {}, { templates: { title: '{{ event.none }}', text: '' } });
    expect(problems).toEqual([]);
  });
});

test('a Slack message has a colored attachment with escaped text', () => {
  expect(requestOf('slack', { check: { output: 'a < b & c\nnext' } }).body).toEqual({
    text: 'CRITICAL web-1/disk: a &lt; b &amp; c',
    attachments: [
      {
        color: '#a30200',
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text: '```\nnext\n```', verbatim: true } },
          {
            type: 'context',
            elements: [
              {
                type: 'plain_text',
                text: 'Status: critical (before: ok) · Since: 22 minutes ago (2026-01-01 00:00:00Z) · Occurrences: 1 · Subscription: web',
                emoji: false,
              },
              { type: 'mrkdwn', text: '`mon --open web-1/disk`', verbatim: true },
            ],
          },
        ],
      },
    ],
  });
});

const LINKS: readonly (readonly [runbook: unknown, href: string | undefined])[] = [
  ['https://wiki.example.com/disk', 'https://wiki.example.com/disk'],
  ['http://wiki:8080/a?b=c&d=%20e#f', 'http://wiki:8080/a?b=c&d=%20e#f'],
  ['https://[2001:db8::1]/x', 'https://[2001:db8::1]/x'],
  ['https://wiki.example.com/Störung', 'https://wiki.example.com/St%C3%B6rung'],
  [`https://wiki.example.com/${'a'.repeat(3000)}`, undefined],
  ['https://wiki.example.com@evil.example/', undefined],
  ['https://wіki.example.com/', undefined],
  ['https://wiki.example.com/|<!channel>', undefined],
  ['https://wiki.example.com/a b', undefined],
  ['https://wiki.example.com/a\u202eb', undefined],
  ['javascript:alert(1)', undefined],
  ['see the wiki', undefined],
  [7, undefined],
];

test.each(LINKS)('the runbook %j becomes the link %j in Slack and in PagerDuty', (runbook, href) => {
  const slack = JSON.stringify(requestOf('slack', { check: { runbook } }).body);
  const link = href === undefined ? '<http' : JSON.stringify(`<${href.replaceAll('&', '&amp;')}|Runbook>`);
  expect(slack.includes(link)).toBe(href !== undefined);
  // The runbook is shown once: as a link, or as a fact in plain text if it is not a link.
  expect(slack.match(/Runbook/g) ?? []).toHaveLength(typeof runbook === 'string' ? 1 : 0);
  const { body } = requestOf('pagerduty', { check: { runbook } });
  expect((body as { links?: unknown }).links).toEqual(href === undefined ? undefined : [{ href, text: 'Runbook' }]);
});

test('Slack markup of a template works, and markup in a value is escaped', () => {
  const templates = { text: '*{{ severity }}* <https://wiki.example.com|runbook>: {{ output }}' };
  const { body } = requestOf(
    'slack',
    { check: { output: '<!channel>' } },
    { templates: { text: templates.text.replace('|runbook', '') } },
  );
  expect(body).toMatchObject({
    attachments: [
      { blocks: [{ text: { text: '*critical* <https://wiki.example.com>: &lt;!channel&gt;' } }, { type: 'context' }] },
    ],
  });
});

test('a Slack template that yields only white space makes no block', () => {
  const { body } = requestOf('slack', {}, { templates: { text: ' {{ event.none }}\n' } });
  expect(body).toMatchObject({ attachments: [{ blocks: [{ type: 'context' }] }] });
});

test('a Mattermost message escapes markup and mentions in the output', () => {
  expect(requestOf('mattermost', { check: { output: 'a *b* @all\n```' } }).body).toMatchObject({
    attachments: [
      {
        fallback: 'CRITICAL web-1/disk: a *b* @all',
        color: '#a30200',
        title: String.raw`CRITICAL web\-1/disk: a \*b\* @` + '\u200ball',
        text: "```\n'''\n```",
        fields: expect.arrayContaining([{ title: 'Occurrences', value: '1', short: true }]) as unknown,
      },
    ],
  });
});

test.each([
  ['mattermost', '[Runbook](https://wiki.example.com/disk_full-now)'],
  ['teams', '"url":"https://wiki.example.com/disk_full-now"'],
  ['ntfy', '"url":"https://wiki.example.com/disk_full-now"'],
  ['telegram', '<a href=\\"https://wiki.example.com/disk_full-now\\">Runbook</a>'],
] as const)('the %s message shows a runbook as a link only if its URL is safe', (preset, link) => {
  const runbook = 'https://wiki.example.com/disk_full-now';
  expect(JSON.stringify(requestOf(preset, { check: { runbook } }).body)).toContain(link);
  const marked = 'https://wiki.example.com/[x](y) @all';
  const text = JSON.stringify(requestOf(preset, { check: { runbook: marked } }).body);
  expect(text).not.toContain(link.slice(0, 9));
  expect(preset === 'mattermost' && text.includes(marked)).toBe(false);
});

test('a Teams message shows a resolved event as a card', () => {
  const { body } = requestOf('teams', { action: 'resolve', check: { status: 0, output: 'one\ntwo' } });
  expect(body).toMatchObject({
    attachments: [
      {
        content: {
          body: [
            { inlines: [{ text: 'RESOLVED web-1/disk: one', weight: 'Bolder', color: 'Good' }] },
            { inlines: [{ text: 'two', fontType: 'Monospace' }] },
            { type: 'FactSet' },
          ],
        },
      },
    ],
  });
});

test('the PagerDuty preset triggers, acknowledges and resolves an incident with the same key', () => {
  const key = { routing_key: PRESET_DEFINITIONS.pagerduty.routing_key, dedup_key: 'web-1/disk' };
  expect(requestOf('pagerduty')).toMatchObject({
    url: 'https://events.pagerduty.com/v2/enqueue',
    headers: {},
    body: {
      ...key,
      event_action: 'trigger',
      client: 'mon',
      payload: {
        summary: 'CRITICAL web-1/disk: CRITICAL: / is full',
        source: 'web-1',
        severity: 'critical',
        timestamp: '2026-01-01T00:00:00.000Z',
        component: 'disk',
        group: 'default',
        custom_details: { Client: 'web-1', Check: 'disk', Occurrences: '1', Command: 'mon --open web-1/disk' },
      },
    },
  });
  expect(requestOf('pagerduty', { silenced: true }).body).toEqual({ ...key, event_action: 'acknowledge' });
  expect(requestOf('pagerduty', { action: 'resolve', check: { status: 0 } }).body).toEqual({
    ...key,
    event_action: 'resolve',
  });
});

test('a PagerDuty payload leaves out a time that is out of range', () => {
  const { body } = requestOf('pagerduty', { timestamp: 1e18 });
  expect(body).toMatchObject({ event_action: 'trigger' });
  expect((body as { payload: object }).payload).not.toHaveProperty('timestamp');
});

test('the Opsgenie preset creates, acknowledges and closes an alert with the same alias', () => {
  const created = requestOf('opsgenie', { check: { status: 1 } });
  expect(created).toMatchObject({
    url: 'https://api.opsgenie.com/v2/alerts',
    headers: { authorization: 'GenieKey hunter2' },
    body: { alias: 'web-1/disk', message: 'WARNING web-1/disk: CRITICAL: / is full', priority: 'P3', entity: 'web-1' },
  });
  const eu = { url: 'https://api.eu.opsgenie.com/' };
  expect(requestOf('opsgenie', { silenced: true }, eu).url).toBe(
    'https://api.eu.opsgenie.com/v2/alerts/web-1%2Fdisk/acknowledge?identifierType=alias',
  );
  const closed = requestOf('opsgenie', { action: 'resolve', check: { status: 0, output: 'OK' } });
  expect(closed).toMatchObject({
    url: 'https://api.opsgenie.com/v2/alerts/web-1%2Fdisk/close?identifierType=alias',
    body: { source: 'mon', note: 'RESOLVED web-1/disk: OK' },
  });
});

test('the preset of Jira Service Management sends the requests of Opsgenie to another address', () => {
  expect(requestOf('jira-service-management')).toMatchObject({
    url: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
    headers: { authorization: 'GenieKey hunter2' },
    body: { alias: 'web-1/disk', message: 'CRITICAL web-1/disk: CRITICAL: / is full', priority: 'P1' },
  });
  expect(requestOf('jira-service-management', { acknowledgement_started: true, acknowledged: ADA })).toMatchObject({
    url: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts/web-1%2Fdisk/acknowledge?identifierType=alias',
    body: { source: 'mon', note: 'ACKNOWLEDGED web-1/disk by ada: on it' },
  });
});

test('the presets of incident.io and Grafana IRM send one alert that fires and resolves', () => {
  const resolution = { action: 'resolve', check: { status: 0, output: 'OK' } } as const;
  expect(requestOf('incident-io', { check: { output: 'a *b*' } })).toMatchObject({
    headers: { authorization: 'Bearer hunter2' },
    body: {
      title: 'CRITICAL web-1/disk: a *b*',
      status: 'firing',
      deduplication_key: 'web-1/disk',
      description: '```\na *b*\n```',
      metadata: { Client: 'web-1', severity: 'critical', namespace: 'default' },
    },
  });
  expect(requestOf('incident-io', resolution).body).toMatchObject({
    status: 'resolved',
    title: 'RESOLVED web-1/disk: OK',
  });
  expect(requestOf('grafana-irm').body).toMatchObject({ alert_uid: 'web-1/disk', state: 'alerting' });
  expect(requestOf('grafana-irm', resolution).body).toMatchObject({ alert_uid: 'web-1/disk', state: 'ok' });
});

test('a Telegram message escapes the output and names its chat', () => {
  expect(requestOf('telegram', { check: { output: 'a < b\nnext' } })).toMatchObject({
    url: 'https://api.telegram.org/bot1:hunter2/sendMessage',
    headers: {},
    body: {
      chat_id: '-1001',
      parse_mode: 'HTML',
      text: expect.stringMatching(
        /^<b>CRITICAL web-1\/disk: a &lt; b<\/b>\n<pre>next<\/pre>\nStatus: critical[^]*\n<code>mon --open web-1\/disk<\/code>$/,
      ) as string,
    },
  });
});

test('a truncated Telegram message has no markup, since Telegram would reject incomplete markup', () => {
  const templates = { text: '<b>{{ output }}</b>' };
  const { body } = requestOf('telegram', { check: { output: '<x> '.repeat(2000) } }, { templates });
  expect(body).not.toHaveProperty('parse_mode');
  expect((body as { text: string }).text).toMatch(/<x> <x>.*…$/);
});

test('an ntfy request names its topic and sends its token', () => {
  expect(requestOf('ntfy')).toMatchObject({
    url: 'https://ntfy.sh',
    headers: { authorization: 'Bearer tk_hunter2' },
    body: {
      topic: 'hunter2-alerts',
      title: 'CRITICAL web-1/disk: CRITICAL: / is full',
      message: expect.stringMatching(/^Status: critical[^]*\n\nmon --open web-1\/disk$/) as string,
      priority: 5,
      tags: ['rotating_light'],
    },
  });
  expect(requestOf('ntfy', {}, { url: 'https://ntfy.example.com', api_token: undefined })).toMatchObject({
    url: 'https://ntfy.example.com',
    headers: {},
  });
});

describe('templates', () => {
  test('templates see the event in the format that the handler sets', () => {
    const legacy = requestOf('ntfy', {}, { templates: { text: '{{ event.client.name }} {{ event.check.status }}' } });
    expect(legacy.body).toMatchObject({ message: 'web-1 2' });
    const templates = { text: '{{ event.entity.name }} {{ event.check.state }} {{ event.id }}' };
    const core = requestOf('ntfy', {}, { event_format: 'core', templates });
    expect(core.body).toMatchObject({ message: `web-1 failing ${anEvent().id}` });
  });

  test('a template that cannot be parsed falls back to the default text, and a missing value is left empty', () => {
    const broken = requestOf('ntfy', {}, { templates: { title: '{{ severity', text: 'a {{ event.none.x }}b' } });
    expect(broken.body).toMatchObject({ title: 'CRITICAL web-1/disk: CRITICAL: / is full', message: 'a b' });
    expect(broken.problems).toEqual([
      'templates.title: {{ needs a }} after its expression',
      'templates.text: {{ event.none.x }} has no value: cannot read the field x of undefined',
    ]);
  });
});
