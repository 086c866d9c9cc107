import { z } from 'zod';

/* Callbacks of chats: what a service sends when a user clicks a button of a message (on-call 4). */

/** The chats whose messages can have buttons. Each is also a preset of webhook handlers. */
export const CHAT_SERVICES = ['slack', 'mattermost', 'telegram'] as const;
export type ChatService = (typeof CHAT_SERVICES)[number];

/** The actions of buttons, in the order of display. */
export const BUTTON_ACTIONS = ['acknowledge', 'silence', 'resolve'] as const;
export type ButtonAction = (typeof BUTTON_ACTIONS)[number];

const idSchema = z.string().min(1).max(1000);
const nameSchema = z.string().max(1000);

/** The JSON in the form field `payload` of Slack (docs.slack.dev/reference/interaction-payloads). */
export const slackPayloadSchema = z.looseObject({
  type: z.string().max(100),
  user: z.looseObject({ id: idSchema, name: nameSchema.optional(), username: nameSchema.optional() }),
  response_url: z.string().max(2000).optional(),
  actions: z.array(z.looseObject({ value: z.string().max(2000).optional() })).max(100),
});

/** The request of a Mattermost button (developers.mattermost.com/integrate/plugins/interactive-messages). */
export const mattermostPayloadSchema = z.looseObject({
  user_id: idSchema,
  user_name: nameSchema.optional(),
  trigger_id: nameSchema.optional(),
  context: z.looseObject({ value: z.string().max(2000) }),
});

/** An update of a Telegram bot (core.telegram.org/bots/api#update); only clicks have a `callback_query`. */
export const telegramPayloadSchema = z.looseObject({
  callback_query: z
    .looseObject({
      id: idSchema,
      from: z.looseObject({ id: z.int(), username: nameSchema.optional(), first_name: nameSchema.optional() }),
      data: z.string().max(64).optional(),
      message: z.looseObject({ message_id: z.int(), chat: z.looseObject({ id: z.int() }) }).optional(),
    })
    .optional(),
});

/** The user of a chat who clicked a button. */
export interface ChatUser {
  readonly service: ChatService;
  readonly id: string;
  /** The name of the user in the chat, which the user can change; undefined if the service does not send it. */
  readonly name: string | undefined;
}
