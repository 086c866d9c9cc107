import { clipText, utf8Bytes } from './clip.ts';
import type { Message } from './message.ts';
import { escapeMarkdown, type Service } from './service.ts';

/**
 * Maximum size of a message in bytes. It is a little below the limit of Teams
 * (learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook), because systems
 * between mon and Teams can add data.
 */
const BODY_BYTES_MAX = 27_000;
const TEXT_MAX = 20_000;

const SEVERITY_COLORS = { ok: 'Good', warning: 'Warning', critical: 'Attention', unknown: 'Accent' } as const;

/**
 * Adapter for a workflow of Microsoft Teams that begins with a webhook and posts an adaptive card
 * (learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).
 */
export const teams: Service = {
  escape: escapeMarkdown,
  request: (message, { url }) => {
    let most = TEXT_MAX;
    let body = cardOf(message, most);
    // In JSON a character takes one to six bytes, so the size is only known after formatting.
    while (utf8Bytes(JSON.stringify(body)) > BODY_BYTES_MAX && most > 100) body = cardOf(message, (most >>= 1));
    return { url, headers: {}, body };
  },
};

function cardOf(message: Message, most: number): Readonly<Record<string, unknown>> {
  const { kind, severity, title, remainingOutput, text, facts, links, command } = message;
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          fallbackText: clipText(title, 300),
          body: [
            textRunBlock(clipText(title, 300), {
              weight: 'Bolder',
              color: SEVERITY_COLORS[kind === 'resolved' ? 'ok' : severity],
            }),
            ...(text === undefined
              ? linesOf(clipText(remainingOutput, most))
              : [{ type: 'TextBlock', text: clipText(text, most), wrap: true }]),
            { type: 'FactSet', facts: facts.map(([name, value]) => ({ title: name, value: escapeMarkdown(value) })) },
            ...(command === undefined ? [] : [textRunBlock(command, { fontType: 'Monospace' })]),
          ],
          ...(links.length > 0 && {
            actions: links.map((link) => ({ type: 'Action.OpenUrl', title: link.text, url: link.href })),
          }),
        },
      },
    ],
  };
}

/**
 * Returns a card element for each line of an output, up to 50. Its text is not parsed as Markdown. One element per line
 * is needed because some Teams clients show a line end within a text as a space.
 */
function linesOf(output: string): object[] {
  const lines = output === '' ? [] : output.split('\n');
  const shown = lines.length > LINES_MAX ? [...lines.slice(0, LINES_MAX - 1), '…'] : lines;
  return shown.map((line) => textRunBlock(line === '' ? ' ' : line, { fontType: 'Monospace' }, 'None'));
}

const LINES_MAX = 50;

function textRunBlock(text: string, look: object, spacing = 'Default'): object {
  return { type: 'RichTextBlock', spacing, inlines: [{ type: 'TextRun', text, ...look }] };
}
