import type { ApiClient } from '../../shared/client/api-client.ts';
import { LOG_MAX } from '../model/message-log.ts';
import type { LoadedView, ViewData } from '../model/view-data.ts';

/** What the requests of the views need. */
export type ViewApi = Pick<
  ApiClient,
  | 'aggregateSummaries'
  | 'audit'
  | 'checks'
  | 'deadLetters'
  | 'deepHealth'
  | 'handlers'
  | 'overview'
  | 'silencedDetails'
  | 'versions'
>;

/** Records that the overview names. */
const ACTIONS_MAX = 20;

export type ViewLoaders = {
  readonly [View in LoadedView]: (api: ViewApi, known: ViewData[View] | undefined) => Promise<ViewData[View]>;
};

/** How each view that loads its data asks for all of it, or for what is new since `known`. */
export const VIEW_LOADERS: ViewLoaders = {
  overview: async (api) => {
    const [overview, actions, handlers] = await Promise.all([
      api.overview(),
      api.audit({ limit: ACTIONS_MAX }),
      // One box of many: the others are worth showing without it.
      api.handlers().catch(() => undefined),
    ]);
    return { overview, actions, handlers };
  },
  upgrade: async (api) => {
    const [versions, health] = await Promise.all([api.versions(), api.deepHealth()]);
    return { versions, health };
  },
  log: async (api, known = []) => {
    const newest = known[0]?.id;
    const news = await api.audit({ limit: LOG_MAX, ...(newest === undefined ? {} : { after: newest }) });
    return news.length === 0 ? known : [...news, ...known].slice(0, LOG_MAX);
  },
  'kept-back': (api) => api.silencedDetails(),
  aggregates: (api) => api.aggregateSummaries(),
  checks: (api) => api.checks(),
  'dead-letters': (api) => api.deadLetters(),
};
