import { errorMessage, MonError } from '../../shared/errors.ts';
import { ALL_CONTEXTS } from '../model/backend-names.ts';
import type { ApiClient } from '../../shared/client/api-client.ts';
import type { CredentialsEnv } from '../../shared/client/backend-address.ts';

/** A backend of the merged list, or why it cannot be opened. */
export type OpenedContext = ShownBackend | { readonly problem: string };

/**
 * Opens every context; one that cannot be opened is told of beside the others.
 *
 * @throws MonError when none of them can be
 */
export async function openAll(
  names: readonly string[],
  open: (name: string) => Promise<ShownBackend>,
): Promise<ShownBackend> {
  const opened = await Promise.all(
    names.map(async (name): Promise<readonly [string, OpenedContext]> => {
      try {
        return [name, await open(name)];
      } catch (error) {
        return [name, { problem: errorMessage(error) }];
      }
    }),
  );
  const problems = opened.flatMap(([name, one]) => ('problem' in one ? [`${name}: ${one.problem}`] : []));
  if (problems.length === opened.length) {
    throw new MonError(
      'unavailable',
      problems.length === 0 ? 'the configuration file names no contexts' : problems.join('; '),
    );
  }
  return {
    backend: ALL_CONTEXTS,
    api: () => Promise.reject(new MonError('invalid', 'this is asked of one backend')),
    members: new Map(opened),
  };
}

/** A backend that is shown. */
export interface ShownBackend {
  readonly backend: string;
  /** Asked for when something is to be sent or loaded, which is after the first frame; default: in its namespace. */
  readonly api: (namespace?: string) => Promise<ApiClient>;
  /** That is shown; `*`: all that the credentials may see. Default: `default`. */
  readonly namespace?: string | undefined;
  /** Where credentials are that the URL does not hold. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** All contexts as one list; then the rest of this is not used. */
  readonly members?: ReadonlyMap<string, OpenedContext>;
}
