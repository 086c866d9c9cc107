import { clip, clipEscaped } from './clip.ts';
import { RUNBOOK_FACT, type Message } from './message.ts';
import { codeBlock, colorOf, type Service } from './service.ts';

/** Maximum length of the text in a Slack section block (docs.slack.dev/reference/block-kit/blocks/section-block). */
const BLOCK_MAX = 3000;
const TITLE_MAX = 300;

/** Adapter for incoming webhooks of Slack (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
export const slack: Service = {
  escape: escapeSlack,
  request: (message, { url }) => ({ url, headers: {}, body: bodyOf(message) }),
};

/** Escapes the three special characters of `mrkdwn` (docs.slack.dev/messaging/formatting-message-text). */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function bodyOf(message: Message): Readonly<Record<string, unknown>> {
  const text = message.text === undefined ? outputBlock(message.output) : clipEscaped(message.text.trim(), BLOCK_MAX);
  const link = runbookElement(message.runbook);
  const shown = message.facts.filter(([name]) => link === undefined || name !== RUNBOOK_FACT);
  const facts = shown.map(([name, value]) => `${name}: ${value}`).join(' · ');
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
              { type: 'plain_text', text: clip(facts, BLOCK_MAX), emoji: false },
              ...(link === undefined ? [] : [link]),
            ],
          },
        ],
      },
    ],
  };
}

/**
 * Returns the Slack element with the link to the runbook. Returns undefined if there is none, or if it is too long for
 * a block; then `facts` shows the runbook.
 */
function runbookElement(runbook: string | undefined): object | undefined {
  if (runbook === undefined) return undefined;
  const text = `<${escapeSlack(runbook)}|${RUNBOOK_FACT}>`;
  return text.length > BLOCK_MAX ? undefined : { type: 'mrkdwn', text, verbatim: true };
}

/** Returns the output as a code block. An output that is too long is cut, and `…` marks the cut within the block. */
function outputBlock(output: string): string {
  const fences = codeBlock(' ').length - 1;
  return codeBlock(clipEscaped(escapeSlack(output), BLOCK_MAX - fences));
}
