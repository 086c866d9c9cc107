import { outagesOf, type Outage } from '../../../shared/domain/timeline/strip.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { putLayer } from '../../state/layer-stack.ts';
import type { TimelineLayer } from '../../state/layers/loaded.ts';
import { NO_SEARCH } from '../../state/search-field.ts';
import type { Screen } from '../../state/ports.ts';
import { PAST_SPANS, timelineId, parseTimelineId, type PastSpan } from '../../model/past-span.ts';
import { NOT_LOADED } from '../../model/view-data.ts';

const INITIAL_SPAN: PastSpan = 'day';

/**
 * Opens the timeline of a check on a client.
 *
 * @param key the event key of client and check
 */
export function openTimeline(store: Screen, key: string): void {
  openLoadedLayer(store, 'timeline', timelineId(INITIAL_SPAN, key));
}

/** Changes the time span of the timeline to the next longer or shorter span. The first span follows the last. */
export function changeSpan(store: Screen, layer: TimelineLayer, by: 1 | -1): void {
  const { span, key } = parseTimelineId(layer.id);
  const next = PAST_SPANS.at((PAST_SPANS.indexOf(span) + by) % PAST_SPANS.length) ?? INITIAL_SPAN;
  putLayer(store, { kind: 'timeline', id: timelineId(next, key), load: NOT_LOADED, top: 0, search: NO_SEARCH });
}

/** Returns the selected outage, by default the newest. `outage` is `undefined` if there is no outage. */
export function outageOf({ load: { data }, at = Infinity }: TimelineLayer): {
  readonly outage: Outage | undefined;
  /** The index of the outage; the newest outage has the index 0. */
  readonly index: number;
  readonly count: number;
} {
  const outages = data === undefined ? [] : outagesOf(data.past);
  const matchIndex = outages.findLastIndex(({ untilMs }) => untilMs > at);
  const index = Math.max(0, matchIndex);
  return { outage: outages[index], index, count: outages.length };
}

/**
 * Selects the next earlier or later outage in the timeline.
 *
 * @param by 1 selects the next earlier outage, -1 the next later outage
 */
export function stepOutage(store: Screen, layer: TimelineLayer, by: 1 | -1): void {
  const { data } = layer.load;
  const outages = data === undefined ? [] : outagesOf(data.past);
  const next = outages[outageOf(layer).index + by];
  if (next === undefined) {
    return store.say(outages.length === 0 ? 'no outage in this period' : `no ${by === 1 ? 'earlier' : 'later'} outage`);
  }
  const row = data?.rows.findIndex(({ at }) => at < next.untilMs) ?? -1;
  putLayer(store, { ...layer, at: next.sinceMs, top: Math.max(0, row - 1) });
}
