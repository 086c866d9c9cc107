import type { ApiClient } from '../../shared/client/api-client.ts';
import { targetOf } from '../model/target.ts';
import type { LayerData, LoadedLayerKind } from '../state/layers/loaded.ts';

/** What the requests of layers need. */
export type LayerApi = Pick<ApiClient, 'cluster' | 'deadLetter' | 'explainEvent' | 'silencedDetail'>;

export type LayerLoaders = {
  readonly [Kind in LoadedLayerKind]: (api: LayerApi, id: string) => Promise<LayerData[Kind] | undefined>;
};

/** How each layer asks for what it is about; `undefined`: the backend has no such thing. */
export const LAYER_LOADERS: LayerLoaders = {
  'dead-letter': (api, id) => api.deadLetter(Number(id)),
  handling: (api, id) => {
    const { client, check } = targetOf(id);
    return api.explainEvent(client, check);
  },
  member: async (api, id) => (await api.cluster())?.members.find((member) => member.id === id),
  'silence-entry': (api, id) => api.silencedDetail(id),
};
