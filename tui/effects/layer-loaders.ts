import type { ApiClient } from '../../shared/client/api-client.ts';
import { undefinedIfNotFound } from '../../shared/client/undefined-if-not-found.ts';
import { parseDuration } from '../../shared/schemas/parse-duration.ts';
import type { TimelinePage } from '../../shared/schemas/timeline.ts';
import { PAST_SPAN_MS, parseTimelineId } from '../model/past-span.ts';
import { parseIncidentId } from '../model/incident-id.ts';
import { targetOf } from '../model/target.ts';
import type { Incident, LayerData, LoadedLayerKind, Transitions } from '../state/layers/loaded.ts';

/** The API methods that load the data of screens over a view. */
export type LayerApi = Pick<
  ApiClient,
  | 'checkPast'
  | 'cluster'
  | 'deadLetter'
  | 'explainEvent'
  | 'report'
  | 'schedule'
  | 'series'
  | 'silencedDetail'
  | 'timeline'
>;

export type LayerLoaders = {
  readonly [Kind in LoadedLayerKind]: (
    api: LayerApi,
    id: string,
    nowMs: number,
  ) => Promise<LayerData[Kind] | undefined>;
};

/** Maximum number of transitions that a timeline shows; a note says where to find more. */
const ROWS_MAX = 500;

function transitionsOf({ transitions: rows, next }: TimelinePage): Transitions {
  return { rows, more: next !== null };
}

/** Maximum number of operator actions in an incident. */
const ACTIONS_MAX = 100;

/** Number of histories that are requested at the same time. */
const PARALLEL_MAX = 8;

async function historiesOf(api: LayerApi, keys: readonly string[], since: number): Promise<Incident['rows']> {
  const rows: Incident['rows'][number][] = [];
  for (let start = 0; start < keys.length; start += PARALLEL_MAX) {
    const histories = keys.slice(start, start + PARALLEL_MAX).map(async (key) => {
      const { client, check } = targetOf(key);
      const history = await undefinedIfNotFound(api.checkPast({ client, check }, { since }));
      return history === undefined ? [] : [{ key, history }];
    });
    rows.push(...(await Promise.all(histories)).flat());
  }
  return rows;
}

/**
 * The request that loads the data of a screen over a view, by the kind of the screen. It returns `undefined` if the
 * backend does not have the object.
 */
export const LAYER_LOADERS: LayerLoaders = {
  'dead-letter': (api, id) => api.deadLetter(Number(id)),
  handling: (api, id) => {
    const { client, check } = targetOf(id);
    return api.explainEvent(client, check);
  },
  member: async (api, id) => (await api.cluster())?.members.find((member) => member.id === id),
  schedule: (api, id) => undefinedIfNotFound(api.schedule(id)),
  'silence-entry': (api, id) => api.silencedDetail(id),
  report: (api, id, nowMs) => undefinedIfNotFound(api.report({ since: nowMs - (parseDuration(id) ?? 0) * 1000 })),
  timeline: async (api, id, nowMs) => {
    const { span, key } = parseTimelineId(id);
    const { client, check } = targetOf(key);
    const since = nowMs - PAST_SPAN_MS[span];
    const [past, page] = await Promise.all([
      undefinedIfNotFound(api.checkPast({ client, check }, { since })),
      api.timeline({ client, check, since, limit: ROWS_MAX }),
    ]);
    return past && { past, ...transitionsOf(page) };
  },
  incident: async (api, id, nowMs) => {
    const { sinceMs: since, keys } = parseIncidentId(id);
    const [rows, report] = await Promise.all([
      historiesOf(api, keys, since),
      // Without the actions, the bars are still shown.
      api.report({ since, limit: ACTIONS_MAX }).catch(() => undefined),
    ]);
    if (rows.length === 0) return undefined;
    const { actions, escalations } = report ?? {};
    return { since, until: nowMs, rows, actions: actions?.actions ?? [], escalations: escalations?.steps ?? [] };
  },
  series: (api, id) => undefinedIfNotFound(api.series(targetOf(id))),
  'timeline-search': async (api, id) => transitionsOf(await api.timeline({ q: id, limit: ROWS_MAX })),
};
