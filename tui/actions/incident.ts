import { handleTopLayer, type Action } from '../keys/action.ts';
import { openIncidentOf } from '../screens/incident/layer.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import { stepMinutes } from './past.ts';

/** Number of minutes of a large step in an incident. */
const LARGE_STEP = 10;

/** The actions that show several events as bars on one time axis, and move its time cursor. */
export const INCIDENT_ACTIONS: readonly Action[] = [
  {
    name: 'incident',
    keys: ['i'],
    in: ['events', 'detail'],
    help: 'show the events that began together as bars over time (t shows the marked events)',
    run: {
      events: (store) => {
        const target = eventUnderCursor(store.state);
        if (target !== undefined) openIncidentOf(store, target.key);
      },
      detail: handleTopLayer('detail', (store, { target }) => openIncidentOf(store, target.key)),
    },
  },
  {
    name: 'incident-earlier',
    keys: ['h', 'left'],
    in: ['incident'],
    help: 'show everything as it was a minute earlier',
    hint: 'minute',
    run: (store) => stepMinutes(store, -1),
  },
  {
    name: 'incident-later',
    keys: ['l', 'right'],
    in: ['incident'],
    help: 'show everything as it was a minute later',
    run: (store) => stepMinutes(store, 1),
  },
  {
    name: 'incident-much-earlier',
    keys: ['H', 'shift-left'],
    in: ['incident'],
    help: 'show everything as it was ten minutes earlier',
    hint: '10 minutes',
    run: (store) => stepMinutes(store, -LARGE_STEP),
  },
  {
    name: 'incident-much-later',
    keys: ['L', 'shift-right'],
    in: ['incident'],
    help: 'show everything as it was ten minutes later',
    run: (store) => stepMinutes(store, LARGE_STEP),
  },
];
