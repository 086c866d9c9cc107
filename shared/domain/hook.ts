import { isAttributes } from './attributes.ts';
import { severityOf } from './severity.ts';

/**
 * Returns the name of the hook that runs after a check returned this status. It is the first that exists of: the status
 * as a number, its severity, and `non-zero` for any status but 0 (reference 2.2.2, completion 1.12).
 *
 * @param hooks the attribute `hooks` of the check: hooks by name
 * @returns undefined if no hook runs
 */
export function selectHook(hooks: unknown, status: number): string | undefined {
  if (!isAttributes(hooks)) return undefined;
  const names = [String(status), severityOf(status), ...(status === 0 ? [] : ['non-zero'])];
  return names.find((name) => Object.hasOwn(hooks, name) && isAttributes(hooks[name]));
}
