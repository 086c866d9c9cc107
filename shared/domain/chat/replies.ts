import { clipText } from '../message/clip.ts';
import { appendUrlPath, escapeMarkdown, type ServiceRequest } from '../message/service.ts';
import { escapeSlack } from '../message/slack.ts';
import type { ClickReply } from './click.ts';

/** Maximum length of the text in the answer to a click in Telegram (core.telegram.org/bots/api#answercallbackquery). */
const TELEGRAM_ANSWER_MAX = 200;

/** The answer to a click: a text for the user who clicked, and the new content of the message. */
export interface ClickAnswer {
  /** The text that only the user who clicked sees. */
  readonly text: string;
  /** True if the click has changed something; false if it is refused, or there is nothing to change. */
  readonly isDone: boolean;
  /** The request that would send the changed message as a new one; undefined if the message does not change. */
  readonly message?: ServiceRequest | undefined;
}

/** The messages of the backend after a click: the body of its response, and further requests to the service. */
interface ClickMessages {
  /** The body of the response to the callback. */
  readonly response: Readonly<Record<string, unknown>>;
  readonly requests: readonly ServiceRequest[];
}

/**
 * Converts the answer to a click to the messages of its service.
 *
 * @param service attributes of the handler: its URL, or the default URL of the service, and the token of its bot
 */
export function clickMessages(
  { text, isDone, message }: ClickAnswer,
  reply: ClickReply,
  { url, api_token: token = '' }: { readonly url: string; readonly api_token?: string | undefined },
): ClickMessages {
  switch (reply.service) {
    case 'slack': {
      const { responseUrl } = reply;
      if (responseUrl === undefined) return { response: {}, requests: [] };
      // A response to the URL replaces the message, or shows a text to the user who clicked.
      const body =
        message === undefined
          ? { response_type: 'ephemeral', replace_original: false, text: escapeSlack(text) }
          : { replace_original: true, ...message.body };
      return { response: {}, requests: [{ url: responseUrl, headers: {}, body }] };
    }
    case 'mattermost': {
      const update = message && { update: { message: '', props: message.body } };
      return { response: { ...update, ephemeral_text: escapeMarkdown(text) }, requests: [] };
    }
    case 'telegram': {
      const answer = {
        method: 'answerCallbackQuery',
        callback_query_id: reply.queryId,
        text: clipText(text, TELEGRAM_ANSWER_MAX),
        // A failure is shown in a box that the user has to close.
        show_alert: !isDone,
      };
      if (message === undefined || reply.message === undefined) return { response: answer, requests: [] };
      const body = { ...message.body, chat_id: reply.message.chat, message_id: reply.message.id };
      return {
        response: answer,
        requests: [{ url: appendUrlPath(url, `/bot${token}/editMessageText`), headers: {}, body }],
      };
    }
  }
}
