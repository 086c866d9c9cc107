import { report } from '../form/confirm.ts';
import { keyContext } from '../keys/key-context.ts';
import { KEYS_TAKEN } from '../keys/places.ts';
import type { Says, Screen } from '../state/ports.ts';
import type { ChangeReport } from '../words/changes.ts';

/** Tells how a change went: in a dialog what one line does not say, unless the next letter that is typed would close it. */
export function tellOutcome(store: Screen & Says, { title, isWhole, lines }: ChangeReport): void {
  const isTaken = KEYS_TAKEN.has(keyContext(store.state));
  // The log has all of what is said.
  store.say(isTaken ? [title, ...lines].join('\n') : title, isWhole ? 'done' : 'problem');
  if (lines.length > 0 && !isTaken) report(store, title, lines);
}
