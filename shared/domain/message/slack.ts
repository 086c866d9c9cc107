import { clipText, clipEscaped } from './clip.ts';
import type { Message } from './message.ts';
import { codeBlock, codeSpan, colorOf, factLinesOf, type Service } from './service.ts';

/** Maximum length of the text in a Slack section block (docs.slack.dev/reference/block-kit/blocks/section-block). */
const BLOCK_MAX = 3000;
const TITLE_MAX = 300;

/** Adapter for incoming webhooks of Slack (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
export const slack: Service = {
  escape: escapeSlack,
  request: (message, { url }) => ({ url, headers: {}, body: bodyOf(message) }),
};

/** Escapes the three special characters of `mrkdwn` (docs.slack.dev/messaging/formatting-message-text). */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function bodyOf(message: Message): Readonly<Record<string, unknown>> {
  const text =
    message.text === undefined ? outputBlock(message.remainingOutput) : clipEscaped(message.text.trim(), BLOCK_MAX);
  return {
    // Slack uses this text for notifications and screen readers.
    text: clipEscaped(escapeSlack(message.title), TITLE_MAX),
    attachments: [
      {
        color: colorOf(message),
        blocks: [
          ...(text === '' ? [] : [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }]),
          {
            type: 'context',
            elements: [
              { type: 'plain_text', text: clipText(factLinesOf(message).join(' · '), BLOCK_MAX), emoji: false },
              ...linkElements(message),
              ...(message.note === undefined ? [] : [{ type: 'plain_text', text: message.note, emoji: false }]),
            ],
          },
          ...actionBlocks(message),
        ],
      },
    ],
  };
}

/** Returns the Slack elements with the links and the command of a message. An element that is too long is left out. */
function linkElements({ links, command }: Message): object[] {
  const texts = [
    ...links.map(({ text, href }) => `<${escapeSlack(href)}|${escapeSlack(text)}>`),
    ...(command === undefined ? [] : [codeSpan(escapeSlack(command))]),
  ];
  return texts.filter(({ length }) => length <= BLOCK_MAX).map((text) => ({ type: 'mrkdwn', text, verbatim: true }));
}

/**
 * Returns the output as a code block; the result is empty if the output is. An output that is too long is cut, and `…`
 * marks the cut within the block.
 */
function outputBlock(output: string): string {
  const fences = codeBlock(' ').length - 1;
  return codeBlock(clipEscaped(escapeSlack(output), BLOCK_MAX - fences));
}

/** Returns the block with the buttons of a message (docs.slack.dev/reference/block-kit/blocks/actions-block). */
function actionBlocks({ buttons }: Message): object[] {
  if (buttons === undefined || buttons.buttons.length === 0) return [];
  const elements = buttons.buttons.map(({ action, label, value }) => ({
    type: 'button',
    action_id: action,
    text: { type: 'plain_text', text: label, emoji: false },
    value,
  }));
  return [{ type: 'actions', elements }];
}
