import { safeLine } from '../terminal-text.ts';

const LINK_MAX = 2048;

/**
 * Matches an HTTP URL that cannot deceive readers. It has no user name in front of its host, and no character that
 * could end a link or a field in the markup of a service (security S19).
 */
const WEB_ADDRESS = /^https?:\/\/[\w.:[\]~-]+(?:[/?#][!#-;=?-[\]_a-z~{}]*)?$/i;

/** Returns the runbook of a check as a URL that is safe as a link; undefined if there is none or it is not safe. */
export function runbookLink({ runbook }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof runbook === 'string' ? safeLink(runbook) : undefined;
}

/** Returns a URL in a form that is safe as a link; undefined if it is not safe. */
export function safeLink(url: string): string | undefined {
  if (url.length > LINK_MAX || safeLine(url) !== url) return undefined;
  // Non-ASCII characters are common in paths of wikis, so they are encoded there. In a host name they could imitate
  // another host, so they are rejected there.
  const address = url.toWellFormed().replaceAll(/[^ -~]/gu, (character) => encodeURIComponent(character));
  const isAsciiHost = /^[ -~]*$/.test(/^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? '');
  return isAsciiHost && address.length <= LINK_MAX && WEB_ADDRESS.test(address) ? address : undefined;
}
