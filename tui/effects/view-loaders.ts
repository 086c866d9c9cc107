import type { ApiClient } from '../../shared/client/api-client.ts';
import { SHIFT_DAYS } from '../../shared/schemas/shift-days.ts';
import { MonError } from '../../shared/errors.ts';
import { LOG_MAX } from '../model/message-log.ts';
import type { LoadedView, ViewData } from '../model/view-data.ts';

/** The API methods that load the data of views. */
export type ViewApi = Pick<
  ApiClient,
  | 'access'
  | 'aggregateSummaries'
  | 'audit'
  | 'checks'
  | 'cluster'
  | 'deadLetters'
  | 'deepHealth'
  | 'handlerGroups'
  | 'handlers'
  | 'inhibitions'
  | 'overview'
  | 'report'
  | 'schedules'
  | 'silencedDetails'
  | 'versions'
>;

const DAY_MS = 86_400_000;

/** Maximum number of audit records in the overview. */
const ACTIONS_MAX = 20;

export type ViewLoaders = {
  readonly [View in LoadedView]: (
    api: ViewApi,
    previous: ViewData[View] | undefined,
    nowMs: number,
  ) => Promise<ViewData[View]>;
};

/**
 * The request that loads the data of a view, by view: all of the data, or only the data that is new since `previous`.
 */
export const VIEW_LOADERS: ViewLoaders = {
  overview: async (api) => {
    const [overview, actions, handlers] = await Promise.all([
      api.overview(),
      // Each of these two requests fills only one box of the overview, so its failure is ignored. Users of a single
      // namespace cannot read the audit trail.
      api.audit({ limit: ACTIONS_MAX }).catch(() => undefined),
      api.handlers().catch(() => undefined),
    ]);
    return { overview, actions, handlers };
  },
  upgrade: async (api) => {
    const [versions, health] = await Promise.all([api.versions(), api.deepHealth()]);
    return { versions, health };
  },
  log: async (api, previous = []) => {
    const newest = previous[0]?.id;
    const news = await api.audit({ limit: LOG_MAX, ...(newest === undefined ? {} : { after: newest }) });
    return news.length === 0 ? previous : [...news, ...previous].slice(0, LOG_MAX);
  },
  'kept-back': (api) => api.silencedDetails(),
  aggregates: (api) => api.aggregateSummaries(),
  checks: (api) => api.checks(),
  'dead-letters': (api) => api.deadLetters(),
  groups: (api) => api.handlerGroups(),
  inhibitions: (api) => api.inhibitions(),
  'on-call': (api) => api.schedules(undefined, SHIFT_DAYS.default),
  day: (api, _previous, nowMs) => api.report({ limit: 1, since: nowMs - DAY_MS }),
  cluster: async (api, previous) => {
    const [view, isAdministrator] = await Promise.all([
      api.cluster(),
      previous?.isAdministrator ?? isAdministratorOn(api),
    ]);
    if (view === undefined) throw new MonError('not_found', 'this version of the backend does not support clusters');
    return { view, isAdministrator };
  },
};

/**
 * Returns whether the user administers all namespaces. If the backend does not report that, returns true: the backend
 * rejects forbidden requests anyway.
 */
async function isAdministratorOn(api: ViewApi): Promise<boolean> {
  const access = await api.access().catch(() => undefined);
  return access === undefined || (access.namespace === null && access.scopes.includes('admin'));
}
