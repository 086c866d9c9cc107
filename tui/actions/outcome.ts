import { showLongMessage } from '../form/confirm.ts';
import { keyContext } from '../keys/key-context.ts';
import { INPUT_CONTEXTS } from '../keys/context-groups.ts';
import type { Screen } from '../state/ports.ts';
import type { ChangeReport } from '../words/changes.ts';

/**
 * Shows the outcome of a change as a message. Details are shown in a dialog, but not while the user types: the next
 * letter would close it.
 */
export function reportOutcome(store: Screen, { title, isComplete, lines }: ChangeReport): void {
  const isTaken = INPUT_CONTEXTS.has(keyContext(store.state));
  // If no dialog is shown, the message contains the details, so that they are in the log.
  store.say(isTaken ? [title, ...lines].join('\n') : title, isComplete ? 'done' : 'problem');
  if (lines.length > 0 && !isTaken) showLongMessage(store, title, lines);
}
