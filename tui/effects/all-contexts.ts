import { errorMessage, MonError } from '../../shared/errors.ts';
import { ALL_CONTEXTS } from '../model/backend-names.ts';
import type { OpenedContext, ShownBackend } from './shown-backend.ts';

/**
 * Opens all contexts as one merged list. A context that cannot be opened is listed with its problem.
 *
 * @throws MonError when no context can be opened
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
      problems.length === 0 ? 'the configuration file contains no contexts' : problems.join('; '),
    );
  }
  return {
    backend: ALL_CONTEXTS,
    api: () => Promise.reject(new MonError('invalid', 'this action needs a single backend: select one with :ctx NAME')),
    members: new Map(opened),
  };
}
