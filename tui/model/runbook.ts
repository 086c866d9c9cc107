import { safeLine } from '../../shared/domain/terminal-text.ts';

/** The attribute of a check that contains its runbook link. */
const RUNBOOK_ATTRIBUTE = 'runbook';

const LINK_MAX = 2048;

/** A runbook link that is safe to show and copy, or the reason why the check has no such link. */
export type Runbook = { readonly url: string } | { readonly problem: string };

/**
 * Returns the runbook link of a check. The text is untrusted, and people open the link. Therefore only http and https
 * links without credentials are accepted, and the link is normalized so that it shows the real host (security S19).
 */
export function runbookOf(check: Readonly<Record<string, unknown>>): Runbook {
  const text = check[RUNBOOK_ATTRIBUTE];
  if (text === undefined || text === null || text === '') return { problem: 'this check has no runbook' };
  if (typeof text !== 'string' || text.length > LINK_MAX || !URL.canParse(text)) {
    return { problem: 'the runbook of this check is not a URL' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: `the runbook of this check must be an http or https link, not ${safeLine(url.protocol)}` };
  }
  // Credentials can disguise the host: `https://wiki.example.com@evil.example` leads to `evil.example`.
  if (url.username !== '' || url.password !== '') {
    return { problem: 'the runbook link of this check must not contain credentials' };
  }
  return { url: safeLine(url.href) };
}
