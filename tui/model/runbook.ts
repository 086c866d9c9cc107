import { safeLine } from '../../shared/domain/terminal-text.ts';

/** The attribute of a check that contains its runbook link. */
const ATTRIBUTE = 'runbook';

const LINK_MAX = 2048;

/** A link that may be shown and copied, or why there is none. */
export type Runbook = { readonly url: string } | { readonly problem: string };

/**
 * Returns the runbook of a check. Its text comes from outside, and people follow it. Therefore only http and
 * https are accepted, with a visible host in the form in which it is resolved (security S19).
 */
export function runbookOf(check: Readonly<Record<string, unknown>>): Runbook {
  const text = check[ATTRIBUTE];
  if (text === undefined || text === null || text === '') return { problem: 'this check has no runbook' };
  if (typeof text !== 'string' || text.length > LINK_MAX || !URL.canParse(text)) {
    return { problem: 'the runbook of this check is not a URL' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: `the runbook of this check must be an http or https link, not ${safeLine(url.protocol)}` };
  }
  // `https://wiki.example.com@evil.example` looks like a different host than it is.
  if (url.username !== '' || url.password !== '') {
    return { problem: 'the runbook link of this check must not contain credentials' };
  }
  return { url: safeLine(url.href) };
}
