import { safeLine } from '../terminal-text.ts';

const LINK_MAX = 2048;

/**
 * A web address whose host stands in sight: no user name before it, and no character that ends a link or a field at a
 * service (security S19).
 */
const WEB_ADDRESS = /^https?:\/\/[\w.:[\]~-]+(?:[/?#][!#-;=?-[\]_a-z~{}]*)?$/i;

/** The runbook of a check as an address that may be made a link; undefined: there is none, or it is no such address. */
export function runbookLink({ runbook }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof runbook !== 'string' || runbook.length > LINK_MAX || safeLine(runbook) !== runbook) return undefined;
  // Other scripts are common in the paths of wikis; in a host they could look like another host.
  const address = runbook.toWellFormed().replaceAll(/[^ -~]/gu, (character) => encodeURIComponent(character));
  const isAsciiHost = /^[ -~]*$/.test(/^[a-z]+:\/\/[^/?#]*/i.exec(runbook)?.[0] ?? '');
  return isAsciiHost && address.length <= LINK_MAX && WEB_ADDRESS.test(address) ? address : undefined;
}
