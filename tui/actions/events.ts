import { countOf } from '../words/changes.ts';
import { eventClass } from '../model/event-record.ts';
import { cursorNow, moveCursorTo } from '../list/list-moves.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { requestRunbook } from './runbook.ts';
import { SILENCE_OPERAND } from './silence-operand.ts';
import { selectedCheckRows } from './checks.ts';
import { foldUnderCursor } from './folds.ts';
import { selectedClients } from './clients.ts';
import { silenceTargets } from './new-silence.ts';
import { handleTopLayer, type Action, type ActionHandler } from '../keys/action.ts';
import { inspectTargets } from '../screens/inspect/targets.ts';
import { type EventTarget, targetName } from '../model/target.ts';
import { selectedKeys, selectedTargets } from '../list/selected-rows.ts';
import { searchValue } from '../../shared/domain/search-syntax.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import { openConfirmation, namesWithinLimit } from '../form/confirm.ts';
import { silenceText } from '../screens/detail/lines.ts';
import {
  durationProblem,
  openSilenceForm,
  selectorProblem,
  silenceScopes,
  typedSeconds,
  applyDraft,
} from '../screens/silences/form.ts';
import { sharedSubscriptions } from '../model/shared-subscriptions.ts';
import { endSilences, confirmRepeatSilence } from './silences.ts';
import { reportTooMany, stillOpenTargets } from '../keys/targets.ts';
import type { Screen, ScreenView, SilenceDialogData } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { openLayer } from '../state/layer-stack.ts';
import { stepPanel } from '../screens/detail/actions.ts';
import { showPaneAtNextPosition, togglePaneFocus } from '../screens/events/pane-actions.ts';
import { bindingOf } from '../state/keys.ts';
import { keyContext } from '../keys/key-context.ts';
import { mayChange } from '../keys/may-change.ts';

function openSilence(
  store: Screen & SilenceDialogData & LiveData & Pick<ListOfView, 'list'>,
  targets: readonly EventTarget[],
): void {
  // Wide scopes silence any number of events, so many events are no problem here.
  const openTargets = stillOpenTargets(store, targets, 'silence', Infinity);
  if (openTargets.length === 0) return;
  const form = openSilenceForm(openTargets, sharedSubscriptions(store, openTargets), silenceStart(store));
  if (silenceScopes(form).length === 0) return reportTooMany(store, openTargets, 'silence');
  openLayer(store, { kind: 'silence', form: applyDraft(form, store.silenceDraft) });
  store.request({ kind: 'load-silence-policy' });
}

/**
 * Returns what the form of a new silence starts with: the filter of the list, and if one fold is selected, the scope
 * that covers the same events. While a filter hides a part of the fold, that scope is a search.
 */
function silenceStart({
  list,
  folds,
  state,
}: Pick<LiveData, 'folds'> & Pick<ListOfView, 'list'> & ScreenView): Parameters<typeof openSilenceForm>[2] {
  const { text: search } = list.filter;
  const [key, ...others] = selectedKeys({ list });
  // The screen of a single event may lie over a folded list.
  const isInList = !state.layers.some(({ kind }) => kind === 'detail' || kind === 'inspect');
  const fold = key === undefined || others.length > 0 || !isInList ? undefined : folds.fold(key);
  const { criterion } = folds;
  if (fold === undefined || criterion === undefined || criterion === 'output' || criterion === 'cause')
    return { search };
  const value = String(fold.value);
  if (search === '' && criterion === 'check') return { scope: 'checks' };
  if (search === '' && criterion === 'subscription') return { scope: 'subscription', subscription: value };
  const condition = `${criterion === 'subscription' ? 'subscriptions' : criterion}=${searchValue(value)}`;
  const both = search === '' ? condition : `(${search}) ${condition}`;
  return value !== '' && selectorProblem(both) === undefined ? { search: both, scope: 'search' } : { search };
}

/** Resolves events. For several events, or for a critical event, a dialog asks first. */
function confirmResolve(store: Screen & LiveData & Pick<ListOfView, 'list'>, targets: readonly EventTarget[]): void {
  const openTargets = stillOpenTargets(store, targets, 'resolve');
  if (openTargets.length === 0) return;
  const operations = openTargets.map(({ client, check }): BulkOperation => ({ op: 'resolve', client, check }));
  const effect = { kind: 'change', change: { verb: 'resolve', operations } } as const;
  const isCritical = openTargets.some((target) => store.events.get(target.key)?.row.status === 2);
  // The only event of a fold can be another one than the user saw, so a fold is never resolved at once.
  if (openTargets.length === 1 && !isCritical && foldUnderCursor(store) === undefined) return store.request(effect);
  openConfirmation(store, {
    title: `Resolve ${countOf(openTargets.length, 'event')}`,
    lines: [
      ...namesWithinLimit(openTargets.map(targetName)),
      'This cannot be undone. A check that still fails opens its event again.',
    ],
    button: `Resolve ${countOf(openTargets.length, 'event')}`,
    count: openTargets.length,
    effect,
  });
}

/** Opens a dialog that asks whether to delete events, because their results and history are deleted too. */
function confirmDelete(store: Screen & LiveData, targets: readonly EventTarget[]): void {
  const openTargets = stillOpenTargets(store, targets, 'delete');
  if (openTargets.length === 0) return;
  const button = `Delete ${countOf(openTargets.length, 'event')}`;
  openConfirmation(store, {
    title: button,
    lines: [
      ...namesWithinLimit(openTargets.map(targetName)),
      'Resolves each event and deletes its result and history. This cannot be undone. The next result of a failing check opens its event again.',
    ],
    button,
    focused: 'cancel',
    count: openTargets.length,
    effect: { kind: 'delete-events', targets: openTargets },
  });
}

/** The time limit and the note that were typed after `:acknowledge`. */
interface AcknowledgementDetails {
  /** Number of seconds after which the acknowledgement expires. Without it, it ends when the event resolves. */
  readonly expire?: number;
  readonly note?: string;
}

/**
 * Acknowledges events: the user works on them, and handlers are not notified of them until they resolve. Events that
 * somebody has acknowledged already are skipped. For several events, a dialog asks first.
 */
function acknowledgeEvents(store: Screen & LiveData & Pick<ListOfView, 'list'>, targets: readonly EventTarget[]): void {
  const openTargets = stillOpenTargets(store, targets, 'acknowledge');
  const open = openTargets.filter(({ key }) => store.events.get(key)?.row.acknowledged === undefined);
  const skipped = openTargets.length - open.length;
  const [first] = openTargets;
  if (first === undefined) return;
  if (open.length > 0) return acknowledgeTargets(store, open, {}, skipped);
  const owner = store.events.get(first.key)?.row.acknowledged?.by;
  if (openTargets.length > 1 || owner === undefined) {
    return store.say('all of these events are already acknowledged');
  }
  store.say(
    safeLine(`${targetName(first)} is already acknowledged by ${owner}; :acknowledge NOTE makes you the owner`),
  );
}

/** @param skipped number of selected events that somebody has acknowledged already */
function acknowledgeTargets(
  store: Screen & LiveData & Pick<ListOfView, 'list'>,
  targets: readonly EventTarget[],
  details: AcknowledgementDetails,
  skipped = 0,
): void {
  const operations = targets.map(({ client, check }): BulkOperation => ({
    op: 'acknowledge',
    client,
    check,
    owner: store.options.creator,
    ...details,
  }));
  const effect = { kind: 'change', change: { verb: 'acknowledge', operations } } as const;
  // The only event of a fold can be another one than the user saw.
  if (targets.length === 1 && foldUnderCursor(store) === undefined) return store.request(effect);
  const title = `Acknowledge ${countOf(targets.length, 'event')}`;
  openConfirmation(store, {
    title,
    lines: [
      ...namesWithinLimit(targets.map(targetName)),
      'Nobody is notified of them until they resolve, expire or get worse.',
      ...(skipped === 0 ? [] : [`${countOf(skipped, 'other')} already acknowledged: unchanged.`]),
    ],
    button: title,
    count: targets.length,
    effect,
  });
}

/**
 * Runs `:acknowledge [DURATION] [NOTE]` on the selected events, also on those that somebody has acknowledged already.
 */
function acknowledgeWithNote(store: ActionPorts, operand: string): string | undefined {
  const [, word = '', others = ''] = /^(\S+)\s*(.*)$/su.exec(operand) ?? [];
  const seconds = /^\d/.test(word) ? typedSeconds(word) : undefined;
  if (/^\d/.test(word) && seconds === undefined) return durationProblem(word);
  const note = seconds === undefined ? operand : others;
  if (!bindingOf('acknowledge').in.includes(keyContext(store.state))) {
    return 'nothing to acknowledge here: open the events view';
  }
  if (!mayChange(store, 'acknowledge')) return undefined;
  const details = { ...(seconds !== undefined && { expire: seconds }), ...(note !== '' && { note }) };
  const open = stillOpenTargets(store, selectedEvents(store, 'acknowledge') ?? [], 'acknowledge');
  if (open.length > 0) acknowledgeTargets(store, open, details);
  return undefined;
}

/** Removes the acknowledgements of events, so that their next results are notified as usual. */
function unacknowledgeTargets(store: Screen & LiveData, targets: readonly EventTarget[]): void {
  const acknowledged = stillOpenTargets(store, targets, 'unacknowledge').filter(
    ({ key }) => store.events.get(key)?.row.acknowledged !== undefined,
  );
  if (acknowledged.length === 0) return store.say('not acknowledged: nothing to remove');
  const operations = acknowledged.map(({ client, check }): BulkOperation => ({ op: 'unacknowledge', client, check }));
  const effect = { kind: 'change', change: { verb: 'unacknowledge', operations } } as const;
  if (acknowledged.length === 1) return store.request(effect);
  const title = `Remove the acknowledgement of ${countOf(acknowledged.length, 'event')}`;
  openConfirmation(store, {
    title,
    lines: [...namesWithinLimit(acknowledged.map(targetName)), 'Their next results are notified as usual.'],
    button: 'Remove the acknowledgements',
    count: acknowledged.length,
    effect,
  });
}

/**
 * Opens a dialog that asks whether to end the silences on events, because these silences can also cover other events.
 */
function confirmUnsilence(store: Screen & LiveData, targets: readonly EventTarget[]): void {
  const openTargets = stillOpenTargets(store, targets, 'unsilence');
  const [first] = openTargets;
  if (first === undefined) return;
  const ids = new Set(openTargets.flatMap(({ key }) => store.events.get(key)?.row.silenced_by ?? []));
  const what = openTargets.length === 1 ? targetName(first) : countOf(openTargets.length, 'event');
  if (ids.size === 0) return store.say(`${what} ${openTargets.length === 1 ? 'is' : 'are'} not silenced`);
  const lines = Array.from(ids, (id) => {
    const entry = store.silenced.get(id);
    return entry === undefined ? safeLine(id) : silenceText(entry, store.nowMs);
  });
  const button = ids.size === 1 ? 'End the silence' : `End ${String(ids.size)} silences`;
  openConfirmation(store, {
    title: `${button} on ${what}`,
    lines: [...namesWithinLimit(lines), 'Other events it silences are unsilenced too.'],
    button,
    count: ids.size,
    effect: { kind: 'change', change: endSilences(store, [...ids]) },
  });
}

/** Returns an action handler for the selected events, see `selectedEvents`. */
function handleSelectedEvents(
  verb: string,
  act: (store: ActionPorts, targets: readonly EventTarget[]) => void,
): ActionHandler {
  return (store) => {
    const targets = selectedEvents(store, verb);
    if (targets !== undefined) act(store, targets);
  };
}

/**
 * Returns the marked events, the event under the cursor, or the shown event; `undefined` after a message that the
 * screen has no open event.
 */
function selectedEvents(store: ActionPorts, verb: string): readonly EventTarget[] | undefined {
  const layer = store.state.layers.at(-1);
  if (layer?.kind === 'detail') return [layer.target];
  // In the list of events, resolved events are included, so that a message can name them.
  if (layer?.kind !== 'inspect') return selectedTargets(store);
  const targets = inspectTargets(layer).filter(({ key }) => store.events.get(key) !== undefined);
  if (targets.length > 0) return targets;
  store.say(`there is no open event here to ${verb}`);
  return undefined;
}

const silenceEvents = handleSelectedEvents('silence', openSilence);

/**
 * The actions on events, in the list of events, on the screen of a single one, and on the screen of a client or check.
 */
export const EVENT_ACTIONS: readonly Action[] = [
  {
    name: 'silence',
    keys: ['s'],
    in: ['events', 'detail', 'inspect', 'clients', 'checks'],
    help: 'silence the marked rows, or the one at the cursor',
    hint: 'silence',
    changes: true,
    run: {
      events: silenceEvents,
      detail: silenceEvents,
      inspect: silenceEvents,
      clients: (store) => {
        const targets = selectedClients(store).map(({ client }) => ({ subscription: clientSubscription(client.name) }));
        silenceTargets(store, targets, 'client');
      },
      checks: (store) => {
        const targets = selectedCheckRows(store).map(({ check }) => ({ check: check.name }));
        silenceTargets(store, targets, 'check');
      },
    },
    operand: SILENCE_OPERAND,
  },
  {
    name: 'resolve',
    keys: ['r'],
    in: ['events', 'detail', 'inspect'],
    help: 'resolve the marked events, or the one at the cursor',
    hint: 'resolve',
    changes: true,
    run: handleSelectedEvents('resolve', confirmResolve),
  },
  {
    name: 'unsilence',
    keys: ['u'],
    in: ['events', 'detail'],
    help: 'end the silences on the marked events, or on the one at the cursor',
    changes: true,
    run: handleSelectedEvents('unsilence', confirmUnsilence),
  },
  {
    name: 'acknowledge',
    keys: ['K'],
    in: ['events', 'detail', 'inspect'],
    help: 'acknowledge the selected events; :acknowledge 2h NOTE adds a limit and a note',
    hint: 'ack',
    changes: true,
    run: handleSelectedEvents('acknowledge', acknowledgeEvents),
    operand: {
      operands: '[DURATION] [NOTE]',
      help: 'acknowledge the selected events for this time or until they resolve, with a note',
      run: acknowledgeWithNote,
      complete: () => ['30m', '1h', '2h', '4h', '8h', '24h'],
    },
  },
  {
    name: 'unacknowledge',
    keys: ['ctrl-k'],
    in: ['events', 'detail', 'inspect'],
    help: 'remove the acknowledgement of the selected events',
    changes: true,
    run: handleSelectedEvents('unacknowledge', unacknowledgeTargets),
  },
  {
    name: 'repeat-silence',
    keys: ['S'],
    in: ['events', 'detail'],
    help: 'silence the selected events with the last used settings',
    changes: true,
    run: handleSelectedEvents('silence', confirmRepeatSilence),
  },
  {
    name: 'delete',
    keys: ['D'],
    in: ['events', 'detail'],
    help: 'resolve the selected events; delete their results and history',
    changes: true,
    run: handleSelectedEvents('delete', confirmDelete),
  },
  {
    name: 'next-critical',
    keys: ['e'],
    in: ['events'],
    help: 'go to the next critical event',
    run: (store) => seekCritical(store, 1),
  },
  {
    name: 'previous-critical',
    keys: ['E'],
    in: ['events'],
    help: 'go to the previous critical event',
    run: (store) => seekCritical(store, -1),
  },
  {
    name: 'pane',
    keys: ['P'],
    in: ['events'],
    help: 'show the event under the cursor below the list, beside it, or not at all',
    run: showPaneAtNextPosition,
  },
  {
    name: 'panel-next',
    keys: ['tab'],
    in: ['events', 'detail'],
    help: 'move the focus to the next panel: in the list of events, to its pane or back',
    hint: 'panel',
    run: { events: togglePaneFocus, detail: handleTopLayer('detail', (store, layer) => stepPanel(store, layer, 1)) },
  },
  {
    name: 'panel-previous',
    keys: ['shift-tab'],
    in: ['events', 'detail'],
    help: 'move the focus to the previous panel',
    run: { events: togglePaneFocus, detail: handleTopLayer('detail', (store, layer) => stepPanel(store, layer, -1)) },
  },
  {
    name: 'runbook',
    keys: ['b'],
    in: ['events', 'detail'],
    help: 'show the runbook link of the check, to copy it',
    run: requestRunbook,
  },
];

function seekCritical(store: Screen & LiveData & ListOfView, step: 1 | -1): void {
  const { order } = store.rows;
  for (let index = cursorNow(store).index + step; index >= 0 && index < order.length; index += step) {
    const record = order.at(index);
    if (record !== undefined && eventClass(record.row as EventRow) === 'critical') return moveCursorTo(store, index);
  }
  store.say(step === 1 ? 'no critical event below' : 'no critical event above');
}
