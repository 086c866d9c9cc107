import { showLongMessage } from '../form/confirm.ts';
import { keyContext } from '../keys/key-context.ts';
import { KEYS_TAKEN } from '../keys/context-groups.ts';
import type { MessageSink, Screen } from '../state/ports.ts';
import type { ChangeReport } from '../words/changes.ts';

/**
 * Reports the outcome of a change. Details are shown in a dialog, unless the next typed letter would close it.
 */
export function reportOutcome(store: Screen & MessageSink, { title, isComplete, lines }: ChangeReport): void {
  const isTaken = KEYS_TAKEN.has(keyContext(store.state));
  // The log contains the full report.
  store.say(isTaken ? [title, ...lines].join('\n') : title, isComplete ? 'done' : 'problem');
  if (lines.length > 0 && !isTaken) showLongMessage(store, title, lines);
}
