import type { ApiClient } from '../../shared/client/api-client.ts';
import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { MonError } from '../../shared/errors.ts';
import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { INITIAL_FEED_STATUS, isConnected, type FeedStatus } from '../model/feed-status.ts';
import type { ConsoleApi } from './run-effects.ts';

/** The backend that the console shows, or the backends of a merged list. */
export interface ShownBackend {
  readonly backend: string;
  /**
   * Opens the API for a namespace, by default that of the backend. It is not called before the first frame, and only
   * when a request is needed.
   */
  readonly api: (namespace?: string) => Promise<ApiClient>;
  /** The shown namespace, or `*` for all namespaces that the credentials can read. Default: `default`. */
  readonly namespace?: string | undefined;
  /** Source of the credentials that the URL does not contain. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** The backends of a merged list, by context. If this field is present, the other fields are not used. */
  readonly members?: ReadonlyMap<string, OpenedContext>;
}

/** A backend of the merged list, or the reason why it cannot be opened. */
export type OpenedContext = ShownBackend | { readonly problem: string };

/** The connection state of the shown backends. Changes are only sent to connected backends. */
interface ConnectionStates {
  readonly feed: FeedStatus;
  /** The status of each backend of a merged list, by context; `undefined` for a single backend. */
  readonly backends: ReadonlyMap<string, FeedStatus> | undefined;
}

/**
 * Returns a function that opens the API of the shown backend; for a merged list, one API for all backends that could be
 * opened.
 */
export function apiOf({ members, api, namespace }: ShownBackend, heard: ConnectionStates): () => Promise<ConsoleApi> {
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

/**
 * Returns a function that opens the client for upgrade plans. For a merged list the function rejects, because a plan
 * belongs to a single backend.
 */
export function upgradesOf({ members, backend, env }: ShownBackend): () => Promise<UpgradeClient> {
  return async () => {
    if (members !== undefined) throw new MonError('invalid', 'select a backend first with :ctx NAME');
    const { openUpgradeClient } = await import('../../shared/client/plan-client.ts');
    return openUpgradeClient({ backend, ...(env && { env }) });
  };
}

/** Rejects a request while the past is shown, because the requested data has no history. */
export function rejectForPast(): Promise<never> {
  return Promise.reject(new MonError('invalid', 'this is not available for the past: :now returns to live data'));
}
