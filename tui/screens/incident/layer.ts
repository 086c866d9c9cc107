import { INCIDENT_EVENTS_MAX, incidentId } from '../../model/incident-id.ts';
import type { LiveData } from '../../model/live-data.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import type { Screen } from '../../state/ports.ts';

const MINUTE_MS = 60_000;

/** Maximum time that is shown, in milliseconds. */
const SPAN_MAX_MS = 30 * 24 * 60 * MINUTE_MS;

/** Minimum time that is shown before the first event began, in milliseconds. */
const LEAD_MIN_MS = 10 * MINUTE_MS;

/** Events that began at most this long before or after an event belong to its incident, in seconds. */
const TOGETHER_SECONDS = 300;

/**
 * Opens the screen that shows several events as bars on one time axis.
 *
 * @param keys the keys of at least one event
 * @param near epoch seconds; if there are too many events for the screen, those that began nearest to this time are
 *   shown. Default: the oldest events
 */
export function openIncident(store: Screen & Pick<LiveData, 'events'>, keys: readonly string[], near = 0): void {
  const events = keys
    .flatMap((key) => {
      const row = store.events.get(key)?.row;
      return row === undefined ? [] : [{ key, since: row.since }];
    })
    .toSorted((a, b) => Math.abs(a.since - near) - Math.abs(b.since - near));
  const shown = events.slice(0, INCIDENT_EVENTS_MAX);
  if (shown.length === 0) return store.say('these events are gone: nothing to show');
  const nowMs = store.options.now();
  const ageMs = nowMs - Math.min(...shown.map(({ since }) => since)) * 1000;
  const spanMs = Math.min(SPAN_MAX_MS, ageMs + Math.max(LEAD_MIN_MS, ageMs / 4));
  if (shown.length < events.length) {
    const which = near === 0 ? 'the oldest' : 'the nearest in time,';
    store.say(`${which} ${String(shown.length)} of ${String(events.length)} events are shown`);
  }
  openLoadedLayer(store, 'incident', incidentId({ sinceMs: nowMs - spanMs, keys: shown.map(({ key }) => key) }));
}

/** Opens the screen of an incident with the event of this key and all events that began about when it began. */
export function openIncidentOf(store: Screen & Pick<LiveData, 'events'>, key: string): void {
  const row = store.events.get(key)?.row;
  if (row === undefined) return store.say('this event has resolved: t shows its timeline');
  const together: string[] = [];
  for (const { key: other, row: one } of store.events.records()) {
    if (Math.abs(one.since - row.since) <= TOGETHER_SECONDS) together.push(other);
  }
  openIncident(store, together, row.since);
}
