import type { KeyAction } from '../../actions/keys.ts';
import { openLoadedLayer } from '../../state/loaded-layer.ts';
import { openDetail } from '../detail/actions.ts';
import { acknowledge, askDelete, askResolve, askUnsilence, openSilence } from '../../actions/events.ts';
import { eventClass } from '../../model/event-record.ts';
import { cursorNow, moveTo } from '../../list/list-moves.ts';
import { askRun, runsOn } from '../../actions/run-now.ts';
import { askRepeatSilence } from '../../actions/silences.ts';
import { targetOf, type Target } from '../../model/target.ts';
import { eventUnderCursor } from '../../state/console-state.ts';
import type { Screen, Says, Opened, Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import type { ActionPorts } from '../../actions/action-ports.ts';

/** What can be done with events, in the order of the menu. */
export const EVENT_ACTIONS: readonly KeyAction[] = [
  'open',
  'silence',
  'acknowledge',
  'repeat-silence',
  'resolve',
  'unsilence',
  'run',
  'delete',
  'json',
];

/** What a key does in the list of events that it does in no other list. `false`: nothing. */
export function pressEvents(store: ActionPorts, action: KeyAction): boolean {
  switch (action) {
    case 'next-critical':
      seekCritical(store, 1);
      return true;
    case 'previous-critical':
      seekCritical(store, -1);
      return true;
    case 'pane':
      store.update({ pane: !store.state.pane });
      return true;
    case 'open':
    case 'json': {
      const target = eventUnderCursor(store.state);
      if (target !== undefined) openDetail(store, target, action === 'json');
      return true;
    }
    case 'why': {
      const target = eventUnderCursor(store.state);
      if (target !== undefined) openLoadedLayer(store, 'handling', target.key);
      return true;
    }
    case 'silence':
      openSilence(store, actedOn(store));
      return true;
    case 'acknowledge':
      acknowledge(store, actedOn(store));
      return true;
    case 'repeat-silence':
      askRepeatSilence(store, actedOn(store));
      return true;
    case 'resolve':
      askResolve(store, actedOn(store));
      return true;
    case 'delete':
      askDelete(store, actedOn(store));
      return true;
    case 'run':
      askRun(store, runsOn(actedOn(store)));
      return true;
    case 'unsilence':
      askUnsilence(store, actedOn(store));
      return true;
    default:
      return false;
  }
}

/** The marked events, or the one that was drawn under the cursor when the key was pressed. */
function actedOn(store: Shown & Pick<ListOfView, 'list'>): readonly Target[] {
  const { marks } = store.list;
  if (marks.size > 0) return [...marks].map(targetOf);
  const target = eventUnderCursor(store.state);
  return target === undefined ? [] : [target];
}

function seekCritical(store: Screen & Says & Opened & Pick<Known, 'events'> & ListOfView, step: 1 | -1): void {
  const { order } = store.events;
  for (let index = cursorNow(store).index + step; index >= 0 && index < order.length; index += step) {
    const record = order.at(index);
    if (record !== undefined && eventClass(record.row) === 'critical') return moveTo(store, index);
  }
  store.say(step === 1 ? 'no critical event below' : 'no critical event above');
}
