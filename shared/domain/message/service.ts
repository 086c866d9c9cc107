import type { Message } from './message.ts';

/** What a definition says about a service. */
export interface ServiceSettings {
  readonly url: string;
  readonly routing_key?: string | undefined;
  readonly api_key?: string | undefined;
  readonly api_token?: string | undefined;
  readonly chat?: string | number | undefined;
  readonly topic?: string | undefined;
}

/** One POST of JSON. */
export interface ServiceRequest {
  readonly url: string;
  /** In small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a service wants to be told. */
export interface Service {
  /** Makes a plain text harmless within the markup of a template. */
  readonly escape: (text: string) => string;
  /** Within the bounds that the service documents. */
  readonly request: (message: Message, settings: ServiceSettings) => ServiceRequest;
}

const COLORS = { ok: '#2eb886', warning: '#daa038', critical: '#a30200', unknown: '#764fa5' } as const;

export function colorOf({ kind, severity }: Message): string {
  return kind === 'resolved' ? COLORS.ok : COLORS[severity];
}

/** A place behind the address of a service. */
export function below(url: string, path: string): string {
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

/** Nothing in it means anything in Markdown, and nobody is called by an `@`. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|~<>]/g, String.raw`\$&`).replaceAll('@', '@\u200b');
}

/** An address that has nothing in it to escape, and leads nowhere once something is. */
const PLAIN_ADDRESS = /^https?:\/\/[\w.~:/?#%&=+,;$-]+$/;

/** What is known of an event, such as where its runbook is, within Markdown. */
export function markdownFact(value: string): string {
  return PLAIN_ADDRESS.test(value) ? value : escapeMarkdown(value);
}

/** A block of code in Markdown, which no text can end early; empty for nothing. */
export function codeBlock(text: string): string {
  return text === '' ? '' : `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\``;
}
