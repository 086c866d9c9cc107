import { safeLine } from '../../shared/domain/terminal-text.ts';
import { openMenu } from '../form/menu.ts';
import type { Target } from '../model/target.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import type { Screen, Says, Asks, Shown } from '../state/ports.ts';

/** The attribute of a check that says what to do when it fails. */
const ATTRIBUTE = 'runbook';

const LINK_MAX = 2048;

/** A link that may be shown and copied, or why there is none. */
export type Runbook = { readonly url: string } | { readonly problem: string };

/**
 * The runbook of a check. Its text comes from outside, and people follow it: only http and https, with the host in
 * sight, written as it will be looked up (security S19).
 */
export function runbookOf(check: Readonly<Record<string, unknown>>): Runbook {
  const text = check[ATTRIBUTE];
  if (text === undefined || text === null || text === '') return { problem: 'this check names no runbook' };
  if (typeof text !== 'string' || text.length > LINK_MAX || !URL.canParse(text)) {
    return { problem: 'the runbook of this check is no link' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: `the runbook of this check is no http or https link but ${safeLine(url.protocol)}` };
  }
  // `https://wiki.example.com@evil.example` reads as another host than it is.
  if (url.username !== '' || url.password !== '') return { problem: 'the runbook link of this check hides its host' };
  return { url: safeLine(url.href) };
}

/** `b`: the runbook of the event that is shown, or under the cursor. */
export function askRunbook(store: Shown & Says & Asks): void {
  const layer = store.state.layers.at(-1);
  const target = layer?.kind === 'detail' ? layer.target : eventUnderCursor(store.state);
  if (target === undefined) return store.say('there is no event under the cursor');
  store.request({ kind: 'load-runbook', target });
}

/** Shows it; choosing it copies it. No program is started: what opens a link is up to the terminal and to people. */
export function showRunbook(store: Screen & Says & Asks, { client, check }: Target, runbook: Runbook): void {
  if ('problem' in runbook) return store.say(runbook.problem);
  const { url } = runbook;
  openMenu(store, {
    title: `Runbook of ${safeLine(`${client}/${check}`)}`,
    items: () => [
      {
        id: 'copy',
        label: url,
        key: 'copy',
        choose: () => store.request({ kind: 'copy', label: 'runbook', text: url }),
      },
    ],
  });
}
