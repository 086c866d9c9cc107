import { handleTopLayer, type Action } from '../keys/action.ts';
import { inspectTargets } from '../screens/inspect/targets.ts';
import { parseTimelineId } from '../model/past-span.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';

/** The action that shows the values of a check over time. */
export const SERIES_ACTIONS: readonly Action[] = [
  {
    name: 'series',
    keys: ['M'],
    in: ['events', 'detail', 'inspect', 'timeline'],
    help: 'plot the duration and the metrics of the check over the last 24 hours',
    run: {
      events: (store) => {
        const target = eventUnderCursor(store.state);
        if (target !== undefined) openLoadedLayer(store, 'series', target.key);
      },
      detail: handleTopLayer('detail', (store, { target }) => openLoadedLayer(store, 'series', target.key)),
      inspect: handleTopLayer('inspect', (store, layer) => {
        const [target] = inspectTargets(layer);
        if (target === undefined) return store.say('select a check to plot its values');
        openLoadedLayer(store, 'series', target.key);
      }),
      timeline: handleTopLayer('timeline', (store, { id }) =>
        openLoadedLayer(store, 'series', parseTimelineId(id).key),
      ),
    },
  },
];
