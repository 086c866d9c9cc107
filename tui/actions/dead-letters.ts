import { selectedRows } from '../list/selected-rows.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import type { Action } from '../keys/action.ts';
import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { countOf } from '../words/changes.ts';
import { deadLetterSubject } from '../words/dead-letter-text.ts';
import { openConfirmation, namesWithinLimit } from '../form/confirm.ts';
import { openDetail } from '../screens/detail/actions.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { targetOf } from '../model/target.ts';
import type { DeadLetterVerb, DeadLetterOrder } from '../state/effects.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';

const CONSEQUENCE_TEXTS: Readonly<Record<DeadLetterVerb, string>> = {
  retry: 'They are queued behind waiting deliveries and keep their delivery ids.',
  drop: 'These notifications will not be sent. This cannot be undone.',
};

/** Opens a dialog that asks whether to retry or to drop dead letters. */
function confirmDeadLetters(store: Screen, verb: DeadLetterVerb, deadLetters: readonly DeadLetterSummary[]): void {
  if (deadLetters.length === 0) return store.say(`there is no dead letter to ${verb}`);
  const orders = deadLetters.map((deadLetter): DeadLetterOrder => ({
    id: deadLetter.id,
    name: deadLetterName(deadLetter),
  }));
  const title = `${verb === 'retry' ? 'Retry' : 'Drop'} ${countOf(orders.length, 'dead letter')}`;
  openConfirmation(store, {
    title,
    lines: [...namesWithinLimit(orders.map(({ name }) => name)), CONSEQUENCE_TEXTS[verb]],
    button: title,
    focused: verb === 'drop' ? 'cancel' : 'submit',
    count: orders.length,
    effect: { kind: 'settle-letters', verb, deadLetters: orders },
  });
}

/**
 * Returns the name of a dead letter, such as `pager for web-1/disk`, or for a group `pager for dc=fra (31 events)`. It
 * contains no control characters.
 */
function deadLetterName(deadLetter: DeadLetterSummary): string {
  const { handler, client, check, group } = deadLetter;
  return safeLine(`${handler} for ${group === undefined ? `${client}/${check}` : deadLetterSubject(deadLetter)}`);
}

/** Opens the screen of a dead letter; does nothing if `deadLetter` is `undefined`. */
export function openDeadLetter(store: Screen, deadLetter: DeadLetterSummary | undefined): void {
  if (deadLetter !== undefined) openLoadedLayer(store, 'dead-letter', String(deadLetter.id));
}

/** Opens the explanation of how the handlers handle the event of a dead letter. */
export function explainDeadLetter(store: Screen, deadLetter: DeadLetterSummary | undefined): void {
  if (deadLetter === undefined) return store.say('there is no dead letter under the cursor');
  openLoadedLayer(store, 'handling', eventKey(deadLetter.client, deadLetter.check));
}

/** Opens the screen of the event that a dead letter is about, if the event still exists. */
function openDeadLetterEvent(store: Screen & Pick<LiveData, 'events'>, { client, check }: DeadLetterSummary): void {
  const target = targetOf(eventKey(client, check));
  if (store.events.get(target.key) === undefined) return store.say('the event has resolved');
  openDetail(store, target, false);
}

/** The actions on dead letters, in the list of dead letters and on the screen of a single one. */
export const DEAD_LETTER_ACTIONS: readonly Action[] = [
  {
    name: 'dead-letter-retry',
    keys: ['T'],
    in: ['dead-letters', 'dead-letter'],
    help: 'retry the marked dead letters, or the one at the cursor',
    hint: 'retry',
    changes: true,
    run: (store) => confirmDeadLetters(store, 'retry', selectedDeadLetters(store)),
  },
  {
    name: 'dead-letter-drop',
    keys: ['D'],
    in: ['dead-letters', 'dead-letter'],
    help: 'drop the marked dead letters, or the one at the cursor, without sending them',
    hint: 'drop',
    changes: true,
    run: (store) => confirmDeadLetters(store, 'drop', selectedDeadLetters(store)),
  },
  {
    name: 'dead-letter-event',
    keys: ['enter'],
    in: ['dead-letter'],
    help: 'open the current event for this dead letter',
    hint: 'event',
    run: (store) => {
      const [deadLetter] = selectedDeadLetters(store);
      if (deadLetter !== undefined) openDeadLetterEvent(store, deadLetter);
    },
  },
];

/** Returns the marked dead letters, or the dead letter under the cursor, or the dead letter whose screen is open. */
export function selectedDeadLetters(store: ActionPorts): readonly DeadLetterSummary[] {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'dead-letter') return selectedRows(store) as readonly DeadLetterSummary[];
  const { data } = layer.load;
  return data === undefined ? [] : [data];
}
