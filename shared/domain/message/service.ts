import type { Message, MessageLink } from './message.ts';

/** The attributes of a handler that the adapter of its service uses. */
export interface ServiceSettings {
  readonly url: string;
  readonly routing_key?: string | undefined;
  readonly api_key?: string | undefined;
  readonly api_token?: string | undefined;
  readonly chat?: string | number | undefined;
  readonly topic?: string | undefined;
}

/** A POST request with a JSON body. */
export interface ServiceRequest {
  readonly url: string;
  /** Headers with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The adapter of a service such as Slack, which converts messages to requests. */
export interface Service {
  /** Escapes a plain text for the markup of the service. */
  readonly escape: (text: string) => string;
  /** Returns the request that sends a message, within the documented limits of the service. */
  readonly request: (message: Message, settings: ServiceSettings) => ServiceRequest;
}

const SEVERITY_COLORS = { ok: '#2eb886', warning: '#daa038', critical: '#a30200', unknown: '#764fa5' } as const;

export function colorOf({ kind, severity }: Message): string {
  return kind === 'resolved' ? SEVERITY_COLORS.ok : SEVERITY_COLORS[severity];
}

/** Returns the URL of a path below the base URL of a service. */
export function appendUrlPath(url: string, path: string): string {
  return `${url.replace(/\/+$/, '')}${path}`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Formats a link as an HTML element. */
export function htmlLink({ text, href }: MessageLink): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

/** Escapes a text for Markdown and prevents mentions by `@`. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|~<>]/g, String.raw`\$&`).replaceAll('@', '@\u200b');
}

/** Formats a text as a Markdown code span. Backticks in the text are replaced, so that they cannot end the span. */
export function codeSpan(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

/** Formats a link for Markdown. Parentheses in the URL are encoded, because they could end the link. */
export function markdownLink({ text, href }: MessageLink): string {
  return `[${escapeMarkdown(text)}](${href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** Returns the names and values of `Message.facts` as one line of plain text each. */
export function factLinesOf({ facts }: Message): string[] {
  return facts.map(([name, value]) => `${name}: ${value}`);
}

/**
 * Formats a text as a Markdown code block; the result is empty if the text is. Triple backticks in the text are
 * replaced, so that they cannot end the block.
 */
export function codeBlock(text: string): string {
  return text === '' ? '' : `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\``;
}
