import type { ApiClient } from '../../shared/client/api-client.ts';
import type { LoadedView, ViewData } from '../store/views/view-data.ts';

/** What the requests of the views need. */
export type ViewApi = Pick<ApiClient, 'checks'>;

/** How each view that loads its data asks for all of it. */
export const VIEW_LOADERS: { readonly [View in LoadedView]: (api: ViewApi) => Promise<ViewData[View]> } = {
  checks: (api) => api.checks(),
};
