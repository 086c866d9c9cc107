import { onLayer, type Action } from '../keys/action.ts';
import { inspectTargets } from '../screens/inspect/targets.ts';
import { openTimeline, stepOutage, changeSpan } from '../screens/timeline/layer.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';

/** The actions that show the timeline of a check. */
export const TIMELINE_ACTIONS: readonly Action[] = [
  {
    name: 'timeline',
    keys: ['t'],
    in: ['events', 'detail', 'inspect'],
    help: 'show the timeline of the check: last hour, day, week or month',
    run: {
      events: (store) => {
        const target = eventUnderCursor(store.state);
        if (target !== undefined) openTimeline(store, target.key);
      },
      detail: onLayer('detail', (store, { target }) => openTimeline(store, target.key)),
      inspect: onLayer('inspect', (store, layer) => {
        const [target] = inspectTargets(layer);
        if (target === undefined) return store.say('select a check to show its timeline');
        openTimeline(store, target.key);
      }),
    },
    operand: {
      operands: '[SEARCH]',
      help: 'search past changes, for example kind=create status=crit client~web age<7d',
      run: (store, operand) => {
        openLoadedLayer(store, 'timeline-search', operand);
        return undefined;
      },
    },
  },
  {
    name: 'timeline-longer',
    keys: ['t', 'tab'],
    in: ['timeline'],
    help: 'show a longer period: hour, day, week, month',
    hint: 'span',
    run: onLayer('timeline', (store, layer) => changeSpan(store, layer, 1)),
  },
  {
    name: 'timeline-shorter',
    keys: ['T', 'shift-tab'],
    in: ['timeline'],
    help: 'show a shorter period',
    run: onLayer('timeline', (store, layer) => changeSpan(store, layer, -1)),
  },
  {
    name: 'outage-previous',
    keys: ['h', 'left'],
    in: ['timeline'],
    help: 'go to the previous outage',
    hint: 'outage',
    run: onLayer('timeline', (store, layer) => stepOutage(store, layer, 1)),
  },
  {
    name: 'outage-next',
    keys: ['l', 'right'],
    in: ['timeline'],
    help: 'go to the next outage',
    run: onLayer('timeline', (store, layer) => stepOutage(store, layer, -1)),
  },
];
