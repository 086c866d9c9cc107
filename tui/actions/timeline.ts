import { handleTopLayer, type Action } from '../keys/action.ts';
import { selectedTargets } from '../list/selected-rows.ts';
import { openIncident } from '../screens/incident/layer.ts';
import { inspectTargets } from '../screens/inspect/targets.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { openTimeline, outageOf, stepOutage, changeSpan } from '../screens/timeline/layer.ts';
import { openSearchRow } from '../screens/timeline/search-rows.ts';
import { travelToJustBefore } from './past.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';

/** The actions that show the timeline of a check. */
export const TIMELINE_ACTIONS: readonly Action[] = [
  {
    name: 'timeline',
    keys: ['t'],
    in: ['events', 'detail', 'inspect'],
    help: 'show the timeline of the check: last hour, day, week or month; of marked events, bars on one axis',
    run: {
      events: (store) => {
        const [target, ...others] = selectedTargets(store);
        if (target === undefined) return;
        if (others.length === 0) return openTimeline(store, target.key);
        openIncident(store, [target.key, ...others.map(({ key }) => key)]);
      },
      detail: handleTopLayer('detail', (store, { target }) => openTimeline(store, target.key)),
      inspect: handleTopLayer('inspect', (store, layer) => {
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
    name: 'transition-open',
    keys: ['enter'],
    in: ['timeline-search'],
    help: 'open the timeline of the check, or the silence, under the cursor',
    hint: 'open',
    run: handleTopLayer('timeline-search', openSearchRow),
  },
  {
    name: 'before',
    keys: ['B'],
    in: ['events', 'detail', 'timeline'],
    help: 'show the lists as they were just before this event or outage began',
    run: {
      events: (store) => beforeEvent(store, eventUnderCursor(store.state)?.key),
      detail: handleTopLayer('detail', (store, { target }) => beforeEvent(store, target.key)),
      timeline: handleTopLayer('timeline', (store, layer) => {
        const { outage } = outageOf(layer);
        if (outage === undefined) return store.say('no outage in this period');
        travelToJustBefore(store, outage.sinceMs);
      }),
    },
  },
  {
    name: 'timeline-longer',
    keys: ['t', 'tab'],
    in: ['timeline'],
    help: 'show a longer period: hour, day, week, month',
    hint: 'span',
    run: handleTopLayer('timeline', (store, layer) => changeSpan(store, layer, 1)),
  },
  {
    name: 'timeline-shorter',
    keys: ['T', 'shift-tab'],
    in: ['timeline'],
    help: 'show a shorter period',
    run: handleTopLayer('timeline', (store, layer) => changeSpan(store, layer, -1)),
  },
  {
    name: 'outage-previous',
    keys: ['h', 'left'],
    in: ['timeline'],
    help: 'go to the previous outage',
    hint: 'outage',
    run: handleTopLayer('timeline', (store, layer) => stepOutage(store, layer, 1)),
  },
  {
    name: 'outage-next',
    keys: ['l', 'right'],
    in: ['timeline'],
    help: 'go to the next outage',
    run: handleTopLayer('timeline', (store, layer) => stepOutage(store, layer, -1)),
  },
];

function beforeEvent(store: ActionPorts, key: string | undefined): void {
  const row = key === undefined ? undefined : store.events.get(key)?.row;
  if (row === undefined) return store.say('this event has resolved: t shows its timeline');
  travelToJustBefore(store, row.since * 1000);
}
