import { safeLine } from '../terminal-text.ts';

const LINK_MAX = 2048;

/**
 * A URL whose host is clearly visible: no user name before it, and no character that ends a link or a field at a
 * service (security S19).
 */
const WEB_ADDRESS = /^https?:\/\/[\w.:[\]~-]+(?:[/?#][!#-;=?-[\]_a-z~{}]*)?$/i;

/** Returns the runbook of a check as a URL that is safe as a link; undefined if there is none or it is not safe. */
export function runbookLink({ runbook }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof runbook !== 'string' || runbook.length > LINK_MAX || safeLine(runbook) !== runbook) return undefined;
  // Other scripts are common in the paths of wikis; in a host they could imitate another host.
  const address = runbook.toWellFormed().replaceAll(/[^ -~]/gu, (character) => encodeURIComponent(character));
  const isAsciiHost = /^[ -~]*$/.test(/^[a-z]+:\/\/[^/?#]*/i.exec(runbook)?.[0] ?? '');
  return isAsciiHost && address.length <= LINK_MAX && WEB_ADDRESS.test(address) ? address : undefined;
}
