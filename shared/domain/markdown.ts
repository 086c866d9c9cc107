import { safeLine, safeText } from './terminal-text.ts';

/** Escapes a text for a line of Markdown. An underscore within a word needs no escape. */
export function markdownText(text: string): string {
  return safeLine(text).replace(/[\\|*`<>[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');
}

/** Returns a code block of Markdown. The fence is longer than any row of backticks in the text. */
export function markdownBlock(text: string): string {
  const safe = safeText(text).trimEnd();
  const longest = Math.max(2, ...Array.from(safe.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${safe}\n${fence}`;
}
