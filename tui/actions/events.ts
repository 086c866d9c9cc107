import { countOf, type BulkChange } from '../words/changes.ts';
import { eventClass } from '../model/event-record.ts';
import { cursorNow, moveTo } from '../list/list-moves.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { askRunbook } from './runbook.ts';
import { SILENCE_OPERAND } from './silence-operand.ts';
import { selectedCheckRows } from './checks.ts';
import { selectedClients } from './clients.ts';
import { silenceTargets } from './new-silence.ts';
import { onLayer, type Action, type ActionHandler } from '../keys/action.ts';
import { inspectTargets } from '../screens/inspect/targets.ts';
import { targetOf, type Target, targetName } from '../model/target.ts';
import { selectedKeys } from '../list/selected-rows.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { silencedId } from '../../shared/domain/silencing.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import { askFirst, namesWithinLimit } from '../form/confirm.ts';
import { silenceText } from '../screens/detail/lines.ts';
import { openSilenceForm, withDraft } from '../screens/silences/form.ts';
import { sharedSubscriptions } from '../model/shared-subscriptions.ts';
import { endSilences, askRepeatSilence } from './silences.ts';
import { stillOpenTargets } from '../keys/targets.ts';
import type { Screen, ScreenView, SilenceDialogData } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { openLayer } from '../state/layer-stack.ts';
import { stepPanel } from '../screens/detail/actions.ts';
import { placeNextPane, togglePaneFocus } from '../screens/events/pane-actions.ts';
import { EXPIRE_NEVER } from '../../shared/schemas/lifetime.ts';

function openSilence(
  store: Screen & SilenceDialogData & LiveData & Pick<ListOfView, 'list'>,
  targets: readonly Target[],
): void {
  const openTargets = stillOpenTargets(store, targets, 'silence');
  if (openTargets.length === 0) return;
  const { text } = store.list.filter;
  const form = openSilenceForm(openTargets, sharedSubscriptions(store, openTargets), text);
  openLayer(store, { kind: 'silence', form: withDraft(form, store.silenceDraft) });
  store.request({ kind: 'load-silence-policy' });
}

/** Resolves events. For several events, or for a critical event, a dialog asks first. */
function askResolve(store: Screen & LiveData, targets: readonly Target[]): void {
  const openTargets = stillOpenTargets(store, targets, 'resolve');
  if (openTargets.length === 0) return;
  const operations = openTargets.map(({ client, check }): BulkOperation => ({ op: 'resolve', client, check }));
  const effect = { kind: 'change', change: { verb: 'resolve', operations } } as const;
  const isCritical = openTargets.some((target) => store.events.get(target.key)?.row.status === 2);
  if (openTargets.length === 1 && !isCritical) return store.request(effect);
  askFirst(store, {
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
function askDelete(store: Screen & LiveData, targets: readonly Target[]): void {
  const openTargets = stillOpenTargets(store, targets, 'delete');
  if (openTargets.length === 0) return;
  const button = `Delete ${countOf(openTargets.length, 'event')}`;
  askFirst(store, {
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

/**
 * Acknowledges events: creates a silence for each event, which ends when the event resolves. Events that already have
 * such a silence are skipped. For several events, a dialog asks first.
 */
function acknowledge(store: ActionPorts, targets: readonly Target[]): void {
  const openTargets = stillOpenTargets(store, targets, 'acknowledge');
  const open = openTargets.filter(
    ({ client, check }) => !store.silenced.has(silencedId(clientSubscription(client), check)),
  );
  const kept = openTargets.length - open.length;
  const [first] = openTargets;
  if (first === undefined) return;
  if (open.length === 0) {
    const which = openTargets.length === 1 ? `${targetName(first)} is` : 'all of these events are';
    return store.say(`${which} already silenced: nothing to acknowledge`);
  }
  const change = acknowledgement(store, open);
  if (open.length === 1) return store.request({ kind: 'change', change });
  askFirst(store, {
    title: `Acknowledge ${countOf(open.length, 'event')}`,
    lines: [
      ...namesWithinLimit(open.map(targetName)),
      'Each is silenced until it resolves.',
      ...(kept === 0 ? [] : [`${countOf(kept, 'other')} already silenced: unchanged.`]),
    ],
    button: `Acknowledge ${countOf(open.length, 'event')}`,
    count: open.length,
    effect: { kind: 'change', change },
  });
}

function acknowledgement(
  { options, silencePolicy }: ScreenView & Pick<SilenceDialogData, 'silencePolicy'>,
  targets: readonly Target[],
): BulkChange {
  const operations = targets.map(({ client, check }): BulkOperation => ({
    op: 'silence',
    subscription: clientSubscription(client),
    check,
    expire: silencePolicy.max_expire ?? EXPIRE_NEVER,
    expire_on_resolve: true,
    reason: 'acknowledged',
    creator: options.creator,
  }));
  return { verb: 'acknowledge', operations };
}

/**
 * Opens a dialog that asks whether to end the silences on events, because these silences can also cover other events.
 */
function askUnsilence(store: Screen & LiveData, targets: readonly Target[]): void {
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
  askFirst(store, {
    title: `${button} on ${what}`,
    lines: [...namesWithinLimit(lines), 'Other events it silences are unsilenced too.'],
    button,
    count: ids.size,
    effect: { kind: 'change', change: endSilences(store, [...ids]) },
  });
}

/**
 * Returns an action handler for the selected events: the marked events, the event under the cursor, or the shown event.
 */
function onEvents(verb: string, act: (store: ActionPorts, targets: readonly Target[]) => void): ActionHandler {
  return (store) => {
    const layer = store.state.layers.at(-1);
    if (layer?.kind === 'detail') return act(store, [layer.target]);
    // In the list of events, resolved events are included, so that a message can name them.
    if (layer?.kind !== 'inspect') return act(store, selectedKeys(store).map(targetOf));
    const targets = inspectTargets(layer).filter(({ key }) => store.events.get(key) !== undefined);
    if (targets.length === 0) return store.say(`there is no open event here to ${verb}`);
    act(store, targets);
  };
}

const silenceEvents = onEvents('silence', openSilence);

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
    run: onEvents('resolve', askResolve),
  },
  {
    name: 'unsilence',
    keys: ['u'],
    in: ['events', 'detail'],
    help: 'end the silences on the marked events, or on the one at the cursor',
    changes: true,
    run: onEvents('unsilence', askUnsilence),
  },
  {
    name: 'acknowledge',
    keys: ['K'],
    in: ['events', 'detail', 'inspect'],
    help: 'acknowledge: silence the selected events until they resolve',
    changes: true,
    run: onEvents('acknowledge', acknowledge),
  },
  {
    name: 'repeat-silence',
    keys: ['S'],
    in: ['events', 'detail'],
    help: 'silence the selected events with the last used settings',
    changes: true,
    run: onEvents('silence', askRepeatSilence),
  },
  {
    name: 'delete',
    keys: ['D'],
    in: ['events', 'detail'],
    help: 'resolve the selected events; delete their results and history',
    changes: true,
    run: onEvents('delete', askDelete),
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
    run: placeNextPane,
  },
  {
    name: 'panel-next',
    keys: ['tab'],
    in: ['events', 'detail'],
    help: 'move the focus to the next panel: in the list of events, to its pane or back',
    hint: 'panel',
    run: { events: togglePaneFocus, detail: onLayer('detail', (store, layer) => stepPanel(store, layer, 1)) },
  },
  {
    name: 'panel-previous',
    keys: ['shift-tab'],
    in: ['events', 'detail'],
    help: 'move the focus to the previous panel',
    run: { events: togglePaneFocus, detail: onLayer('detail', (store, layer) => stepPanel(store, layer, -1)) },
  },
  {
    name: 'runbook',
    keys: ['b'],
    in: ['events', 'detail'],
    help: 'show the runbook link of the check, to copy it',
    run: askRunbook,
  },
];

function seekCritical(store: Screen & LiveData & ListOfView, step: 1 | -1): void {
  const { order } = store.events;
  for (let index = cursorNow(store).index + step; index >= 0 && index < order.length; index += step) {
    const record = order.at(index);
    if (record !== undefined && eventClass(record.row) === 'critical') return moveTo(store, index);
  }
  store.say(step === 1 ? 'no critical event below' : 'no critical event above');
}
