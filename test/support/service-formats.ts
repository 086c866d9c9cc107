import { z } from 'zod';
import type { Preset } from '../../shared/schemas/preset.ts';

/**
 * Schemas of the messages that notification services accept, according to their documentation. Required attributes must
 * be present and within their limits, and undocumented attributes are errors.
 */

const text = (most: number): z.ZodString => z.string().min(1).max(most);

const bytes = (most: number): z.ZodString =>
  z
    .string()
    .min(1)
    .refine((value) => Buffer.byteLength(value) <= most, `at most ${String(most)} bytes`);

/** Text object of Slack: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
const slackText = (most: number) =>
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('mrkdwn'),
      // The characters `&`, `<` and `>` must be escaped unless they are part of a link:
      // https://docs.slack.dev/messaging/formatting-message-text
      text: text(most).regex(/^(?:[^&<>]|&amp;|&lt;|&gt;|<https?:[^<>|]*(?:\|[^<>|]+)?>)*$/, 'must be escaped'),
      verbatim: z.boolean().optional(),
    }),
    z.strictObject({ type: z.literal('plain_text'), text: text(most), emoji: z.boolean().optional() }),
  ]);

/** Button of Slack: https://docs.slack.dev/reference/block-kit/block-elements/button-element */
const slackButton = z.strictObject({
  type: z.literal('button'),
  action_id: text(255),
  text: z.strictObject({ type: z.literal('plain_text'), text: text(75), emoji: z.boolean().optional() }),
  value: text(2000),
});

/**
 * Slack message with limits of 3,000 characters per section block and 10 elements per context block, and attachments
 * with a color and blocks:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks,
 * https://docs.slack.dev/reference/block-kit/blocks/section-block and context-block,
 * https://docs.slack.dev/messaging/formatting-message-text
 */
const slack = z.strictObject({
  // With this attribute, a message to a response URL replaces the message with the button:
  // https://docs.slack.dev/interactivity/handling-user-interaction
  replace_original: z.literal(true).optional(),
  text: text(40_000).regex(/^(?:[^&<>]|&amp;|&lt;|&gt;)*$/, 'must be escaped'),
  attachments: z
    .array(
      z.strictObject({
        color: z.string().regex(/^#[0-9a-f]{6}$/),
        blocks: z
          .array(
            z.discriminatedUnion('type', [
              z.strictObject({ type: z.literal('section'), text: slackText(3000) }),
              z.strictObject({ type: z.literal('context'), elements: z.array(slackText(3000)).min(1).max(10) }),
              z.strictObject({ type: z.literal('actions'), elements: z.array(slackButton).min(1).max(25) }),
            ]),
          )
          .min(1)
          .max(50),
      }),
    )
    .max(100),
});

/**
 * Mattermost message, in which each attachment must have a fallback:
 * https://developers.mattermost.com/integrate/webhooks/incoming/ and
 * https://developers.mattermost.com/integrate/reference/message-attachments/
 */
const mattermost = z
  .strictObject({
    attachments: z.array(
      z.strictObject({
        fallback: text(1000),
        color: z.string().regex(/^#[0-9a-f]{6}$/),
        title: text(1000),
        title_link: z.url().optional(),
        text: z.string().max(16_383),
        fields: z.array(z.strictObject({ title: text(200), value: text(2000), short: z.boolean() })),
        // Buttons: https://developers.mattermost.com/integrate/plugins/interactive-messages
        actions: z
          .array(
            z.strictObject({
              id: z.string().regex(/^[a-zA-Z0-9]+$/),
              type: z.literal('button'),
              name: text(100),
              integration: z.strictObject({ url: z.url(), context: z.record(z.string(), z.unknown()) }),
            }),
          )
          .min(1)
          .optional(),
      }),
    ),
  })
  .refine((body) => JSON.stringify(body).length <= 8000 * 2, 'attachments are too large');

const run = z.strictObject({
  type: z.literal('TextRun'),
  text: text(28_000),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  color: z.enum(['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention']).optional(),
  fontType: z.enum(['Default', 'Monospace']).optional(),
});

/**
 * Microsoft Teams message: an envelope of at most 28 KB, and an Adaptive Card of version 1.4 with RichTextBlock,
 * TextRun, TextBlock, FactSet and Action.OpenUrl:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using and
 * https://adaptivecards.io/explorer/
 */
const teams = z
  .strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.literal('1.4'),
          msteams: z.strictObject({ width: z.literal('Full') }),
          fallbackText: text(1000),
          body: z.array(
            z.discriminatedUnion('type', [
              z.strictObject({
                type: z.literal('RichTextBlock'),
                spacing: z.enum(['Default', 'None']),
                inlines: z.array(run).min(1),
              }),
              z.strictObject({ type: z.literal('TextBlock'), text: z.string(), wrap: z.literal(true) }),
              z.strictObject({
                type: z.literal('FactSet'),
                facts: z.array(z.strictObject({ title: text(200), value: text(2000) })).min(1),
              }),
            ]),
          ),
          actions: z
            .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: text(100), url: z.url() }))
            .min(1)
            .optional(),
        }),
      }),
    ]),
  })
  .refine((body) => Buffer.byteLength(JSON.stringify(body)) <= 28_000, 'at most 28 KB');

const pagerDutyKey = { routing_key: text(32), dedup_key: text(255) };

/**
 * PagerDuty event, in which only a trigger must have a payload:
 * https://developer.pagerduty.com/docs/send-alert-event and
 * https://github.com/PagerDuty/api-schema/blob/main/reference/events-v2/openapiv3.json
 */
const pagerduty = z
  .discriminatedUnion('event_action', [
    z.strictObject({
      ...pagerDutyKey,
      event_action: z.literal('trigger'),
      client: z.string(),
      client_url: z.url().optional(),
      links: z.array(z.strictObject({ href: z.url(), text: z.string().optional() })).optional(),
      payload: z.strictObject({
        summary: text(1024),
        source: text(1024),
        severity: z.enum(['critical', 'error', 'warning', 'info']),
        timestamp: z.iso.datetime().optional(),
        component: z.string(),
        group: z.string(),
        custom_details: z.record(z.string(), z.string()),
      }),
    }),
    z.strictObject({ ...pagerDutyKey, event_action: z.enum(['acknowledge', 'resolve']) }),
  ])
  .refine((body) => Buffer.byteLength(JSON.stringify(body)) <= 512 * 1024, 'at most 512 KiB');

/**
 * Requests of Opsgenie and of Jira Service Management to create an alert, and to close or acknowledge one. The latter
 * have no message: https://docs.opsgenie.com/docs/alert-api and
 * https://developer.atlassian.com/cloud/jira/service-desk-ops/rest/v2/api-group-integration-events/
 */
const alertApi = z.union([
  z.strictObject({
    message: text(130),
    alias: text(512),
    description: z.string().max(15_000),
    details: z
      .record(z.string(), z.string())
      .refine((details) => JSON.stringify(details).length <= 8000, 'at most 8,000 characters'),
    entity: text(512),
    source: text(100),
    priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
  }),
  z.strictObject({ source: text(100), note: z.string().max(25_000) }),
]);

const telegramCommon = {
  chat_id: z.union([z.string(), z.int()]),
  link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
  // Buttons: https://core.telegram.org/bots/api#inlinekeyboardbutton
  reply_markup: z
    .strictObject({
      inline_keyboard: z.array(z.array(z.strictObject({ text: text(64), callback_data: bytes(64) })).min(1)).min(1),
    })
    .optional(),
  // Only in a request that changes a message: https://core.telegram.org/bots/api#editmessagetext
  message_id: z.int().optional(),
};

/**
 * Telegram message of at most 4,096 characters after the markup is parsed, in HTML with the allowed tags and with `<`,
 * `>` and `&` escaped, or as plain text: https://core.telegram.org/bots/api#sendmessage and #html-style
 */
const telegram = z.union([
  z.strictObject({
    ...telegramCommon,
    parse_mode: z.literal('HTML'),
    text: z
      .string()
      .regex(
        /^(?:[^<>&]|&(?:amp|lt|gt|quot|#39);|<\/?(?:b|i|u|s|code|pre)>|<a href="https?:[^"<>]*">|<\/a>)*$/,
        'must be the HTML of Telegram',
      )
      .refine((html) => withoutMarkup(html).length <= 4096, 'at most 4,096 characters'),
  }),
  z.strictObject({ ...telegramCommon, text: text(4096) }),
]);

function withoutMarkup(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&[a-z#0-9]+;/g, '?');
}

/** ntfy message: https://docs.ntfy.sh/publish/#publish-as-json, #message-priority, #tags-emojis,
 * #action-buttons and #limitations */
const ntfy = z.strictObject({
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
  title: bytes(250),
  message: bytes(4096),
  priority: z.int().min(1).max(5),
  tags: z.array(z.enum(['white_check_mark', 'warning', 'rotating_light', 'question'])),
  click: z.url().optional(),
  actions: z
    .array(z.strictObject({ action: z.literal('view'), label: text(100), url: z.url() }))
    .max(3)
    .optional(),
});

/** Alert event of incident.io: https://docs.incident.io/api-reference/alert-events-v2/createhttp */
const incidentIo = z.strictObject({
  title: text(1000),
  status: z.enum(['firing', 'resolved']),
  deduplication_key: text(255),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  source_url: z.url().optional(),
});

/**
 * Alert for a formatted webhook of Grafana IRM: "Configure OnCall incoming webhooks" in
 * https://grafana.com/docs/grafana-cloud/alerting-and-irm/irm/
 */
const grafanaIrm = z.strictObject({
  alert_uid: text(255),
  title: text(1500),
  state: z.enum(['alerting', 'ok']),
  message: text(20_000),
  link_to_upstream_details: z.url().max(500).optional(),
});

export const SERVICE_FORMATS = {
  slack,
  mattermost,
  teams,
  pagerduty,
  opsgenie: alertApi,
  'jira-service-management': alertApi,
  'incident-io': incidentIo,
  'grafana-irm': grafanaIrm,
  telegram,
  ntfy,
};

/** A complete handler definition for each preset. */
export const PRESET_DEFINITIONS = {
  slack: { preset: 'slack', url: 'https://hooks.slack.com/services/T0/B0/hunter2' },
  mattermost: { preset: 'mattermost', url: 'https://chat.example.com/hooks/hunter2' },
  teams: { preset: 'teams', url: 'https://flows.example.com/workflows/hunter2?sig=hunter2' },
  pagerduty: { preset: 'pagerduty', routing_key: 'hunter2hunter2hunter2hunter2hunt' },
  opsgenie: { preset: 'opsgenie', api_key: 'hunter2' },
  'jira-service-management': { preset: 'jira-service-management', api_key: 'hunter2' },
  'incident-io': {
    preset: 'incident-io',
    url: 'https://api.incident.io/v2/alert_events/http/01GW2G3V0S59R238FAHPDS1R66',
    api_token: 'hunter2',
  },
  'grafana-irm': {
    preset: 'grafana-irm',
    url: 'https://oncall.example.com/integrations/v1/formatted_webhook/hunter2/',
  },
  telegram: { preset: 'telegram', api_token: '1:hunter2', chat: '-1001' },
  ntfy: { preset: 'ntfy', topic: 'hunter2-alerts', api_token: 'tk_hunter2' },
} as const satisfies Readonly<Record<Preset, object>>;
