import type { ApiClient } from '../../shared/client/api-client.ts';
import { errorMessage } from '../../shared/errors.ts';
import { nameAtSameBackend } from '../model/backend-names.ts';
import { loadActivity, type ActivityApi, type EventActivity } from '../model/event-activity.ts';
import type { LiveData } from '../model/live-data.ts';
import type { EventTarget } from '../model/target.ts';
import type { ResponseState } from '../state/answers.ts';
import type { Effect } from '../state/effects.ts';
import type { ScreenView } from '../state/ports.ts';

/** The API methods that load an event with everything that its screen shows. */
export type EventApi = ActivityApi & Pick<ApiClient, 'check' | 'event' | 'explainEvent'>;

/** Time for which the loaded activity of an event is not loaded again, in milliseconds. */
const ACTIVITY_FRESH_MS = 10_000;

type EventStore = ScreenView & ResponseState & Pick<LiveData, 'events'>;

/** Loads an event for its screen or for the pane of the list, and reports the outcome to the store. */
export async function loadEvent(
  { target, into, isDetailed }: Effect & { readonly kind: 'load-event' },
  store: EventStore,
  api: () => Promise<EventApi>,
): Promise<void> {
  try {
    const client = await api();
    // The extra data of the whole event is optional: without it the event is still shown.
    const definition = isDetailed
      ? client.check(nameAtSameBackend(target.client, target.check)).catch(() => undefined)
      : undefined;
    const handling = isDetailed ? client.explainEvent(target.client, target.check).catch(() => undefined) : undefined;
    const activity = isDetailed ? freshActivity(store, client, target) : undefined;
    // The row of before the request: a row that arrives meanwhile may be newer than the response.
    const row = store.events.get(target.key)?.row;
    const event = await client.event(target.client, target.check);
    store.answers.eventLoaded(target, into, event, {
      row,
      nextRun: (await definition)?.next_run ?? undefined,
      handling: await handling,
      activity: await activity,
    });
  } catch (error) {
    store.answers.eventFailed(target, into, errorMessage(error));
  }
}

/** Returns the activity that is shown now while it is fresh; otherwise loads it. */
async function freshActivity(store: EventStore, api: EventApi, target: EventTarget): Promise<EventActivity> {
  const { options } = store;
  const nowMs = options.now();
  const shown = shownActivity(store, target);
  if (shown !== undefined && nowMs - shown.loadedAtMs < ACTIVITY_FRESH_MS) return shown;
  return loadActivity(api, target, { nowMs, namespace: options.namespace });
}

/** Returns the activity of an event that a screen or the pane already shows; `undefined` if none shows it. */
function shownActivity({ state }: ScreenView, { key }: EventTarget): EventActivity | undefined {
  const { layers, peek } = state;
  const layer = layers.findLast((one) => one.kind === 'detail' && one.target.key === key);
  const load = layer?.kind === 'detail' ? layer.load : peek?.target.key === key ? peek.load : undefined;
  return load?.kind === 'loaded' ? load.activity : undefined;
}
