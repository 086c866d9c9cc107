import type { RunningHandler } from '../../schemas/handler.ts';
import { clipText } from './clip.ts';
import type { Message } from './message.ts';
import { colorOf, escapeHtml, factLinesOf, htmlLink } from './service.ts';
import { MessageRenderer, type MessageSubject } from './message-renderer.ts';

export type EmailHandler = Extract<RunningHandler, { type: 'email' }>;

export interface Mail {
  /** The subject as a single line. */
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Problems in the templates of the handler, such as missing attributes, which the caller logs. */
  readonly problems: readonly string[];
}

/** Maximum length of a mail subject; few mail programs show more. */
const SUBJECT_MAX = 250;

/** Returns the e-mail about an event or group. It has no HTML part if the handler has only a text template. */
export function mailOf(handler: EmailHandler, messageSubject: MessageSubject): Mail {
  const telegraph = new MessageRenderer(handler, messageSubject);
  const { message, problems } = telegraph;
  const subject = clipText(telegraph.line('subject') ?? message.title, SUBJECT_MAX);
  const text = telegraph.text('text', (value) => value);
  const html = telegraph.text('html', escapeHtml) ?? (text === undefined ? htmlOf(message) : undefined);
  return { subject, text: text ?? textOf(message), ...(html !== undefined && { html }), problems };
}

function textOf(message: Message): string {
  const { title, remainingOutput, links, command } = message;
  const tail = [...links.map(({ text, href }) => `${text}: ${href}`), ...(command === undefined ? [] : [command])];
  return [title, remainingOutput, factLinesOf(message).join('\n'), tail.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

function htmlOf(message: Message): string {
  const { title, remainingOutput, facts, links, command } = message;
  const rows = facts.map(
    ([name, value]) => `<tr><th align="left">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return [
    `<h3 style="color:${colorOf(message)}">${escapeHtml(title)}</h3>`,
    ...(remainingOutput === '' ? [] : [`<pre>${escapeHtml(remainingOutput)}</pre>`]),
    `<table>${rows.join('')}</table>`,
    ...(links.length === 0 ? [] : [`<p>${links.map(htmlLink).join(' · ')}</p>`]),
    ...(command === undefined ? [] : [`<p><code>${escapeHtml(command)}</code></p>`]),
  ].join('\n');
}
