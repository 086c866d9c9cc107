import type { ApiClient } from '../../shared/client/api-client.ts';
import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { MonError } from '../../shared/errors.ts';
import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { INITIAL_FEED_STATUS, isConnected, type FeedStatus } from '../model/feed-status.ts';
import type { ConsoleApi } from './run-effects.ts';

/** A backend that is shown. */
export interface ShownBackend {
  readonly backend: string;
  /** Asked for when something is to be sent or loaded, which is after the first frame; default: in its namespace. */
  readonly api: (namespace?: string) => Promise<ApiClient>;
  /** The namespace that is shown; `*`: all that the credentials may see. Default: `default`. */
  readonly namespace?: string | undefined;
  /** Where credentials are that the URL does not hold. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** All contexts as one list; then the rest of this is not used. */
  readonly members?: ReadonlyMap<string, OpenedContext>;
}

/** A backend of the merged list, or why it cannot be opened. */
export type OpenedContext = ShownBackend | { readonly problem: string };

/** What is heard of the backends: whoever is not connected is not asked. */
interface Heard {
  readonly feed: FeedStatus;
  /** Of a merged list. */
  readonly backends: ReadonlyMap<string, FeedStatus> | undefined;
}

/** Of several backends those that can be opened, behind the methods of one. */
export function apiOf({ members, api, namespace }: ShownBackend, heard: Heard): () => Promise<ConsoleApi> {
  const { backends } = heard;
  if (namespace === EVERY_NAMESPACE) {
    return async () => {
      const { openApiOfNamespaces } = await import('./merged-api.ts');
      return openApiOfNamespaces(api, () => isConnected(heard.feed));
    };
  }
  if (members === undefined) return () => api(namespace);
  return async () => {
    const { openMergedApi } = await import('./merged-api.ts');
    const open = Array.from(members, ([name, one]) =>
      'problem' in one ? [] : [[name, () => one.api(one.namespace)] as const],
    ).flat();
    return openMergedApi({
      open: new Map(open),
      isConnected: (name) => isConnected(backends?.get(name) ?? INITIAL_FEED_STATUS),
    });
  };
}

/** Plans are of one backend. */
export function upgradesOf({ members, backend, env }: ShownBackend): () => Promise<UpgradeClient> {
  return async () => {
    if (members !== undefined) throw new MonError('invalid', 'choose a backend first: :ctx NAME');
    const { openUpgradeClient } = await import('../../shared/client/plan-client.ts');
    return openUpgradeClient({ backend, ...(env && { env }) });
  };
}

/** In place of the API, of what is told by no list of the past. */
export function nothingOfPast(): Promise<never> {
  return Promise.reject(new MonError('invalid', 'this is not available for the past: :now returns to live data'));
}
