import type { ChatUser } from '../../schemas/chat.ts';
import { mattermostPayloadSchema, slackPayloadSchema, telegramPayloadSchema } from '../../schemas/chat.ts';

/** The place to which the answer to a click goes: each service has its own way. */
export type ClickReply =
  | { readonly service: 'slack'; readonly responseUrl: string | undefined }
  | { readonly service: 'mattermost' }
  | {
      readonly service: 'telegram';
      readonly queryId: string;
      /** The message with the button; undefined if it is too old for the bot. */
      readonly message: { readonly chat: number; readonly id: number } | undefined;
    };

/** A click on a button of a chat message. */
export interface Click {
  /** An id that the service gives each click; undefined if it gives none. */
  readonly id: string | undefined;
  /** The value of the button. */
  readonly value: string;
  readonly user: ChatUser;
  readonly reply: ClickReply;
}

/** A callback: a click, another interaction that needs no answer, or a body that is not of this service. */
export type Callback = Click | 'ignored' | 'malformed';

/**
 * Parses a callback of Slack: a form whose field `payload` contains JSON (docs.slack.dev/interactivity). Slack gives
 * clicks no id.
 */
export function slackCallback(body: string): Callback {
  const field = body.split('&').find((pair) => pair.startsWith('payload='));
  const json = field === undefined ? undefined : decodeFormValue(field.slice('payload='.length));
  const { data: payload } = slackPayloadSchema.safeParse(parseJson(json));
  if (payload === undefined) return 'malformed';
  const value = payload.actions[0]?.value;
  if (payload.type !== 'block_actions' || value === undefined) return 'ignored';
  const { id, name, username } = payload.user;
  return {
    id: undefined,
    value,
    user: { service: 'slack', id, name: username ?? name },
    reply: { service: 'slack', responseUrl: payload.response_url },
  };
}

/** Parses a callback of Mattermost. Its `trigger_id` is different for each click. */
export function mattermostCallback(body: string): Callback {
  const { data: payload } = mattermostPayloadSchema.safeParse(parseJson(body));
  if (payload === undefined) return 'malformed';
  return {
    id: payload.trigger_id || undefined,
    value: payload.context.value,
    user: { service: 'mattermost', id: payload.user_id, name: payload.user_name },
    reply: { service: 'mattermost' },
  };
}

/** Parses an update of Telegram. Updates without a click, such as messages to the bot, are ignored. */
export function telegramCallback(body: string): Callback {
  const { data: payload } = telegramPayloadSchema.safeParse(parseJson(body));
  if (payload === undefined) return 'malformed';
  const { callback_query: query } = payload;
  if (query?.data === undefined) return 'ignored';
  const { id, from, data, message } = query;
  return {
    id,
    value: data,
    user: { service: 'telegram', id: String(from.id), name: from.username ?? from.first_name },
    reply: {
      service: 'telegram',
      queryId: id,
      message: message && { chat: message.chat.id, id: message.message_id },
    },
  };
}

function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
