import { isAttributes } from './attributes.ts';
import { severityOf } from './severity.ts';

/**
 * Returns the hook that runs after a check with this status: one for exactly this status, its severity, or any status
 * but 0 (reference 2.2.2, completion 1.12).
 *
 * @param hooks the attribute of the check, by name of the hook
 * @returns the name of the hook; undefined if none runs
 */
export function hookFor(hooks: unknown, status: number): string | undefined {
  if (!isAttributes(hooks)) return undefined;
  const names = [String(status), severityOf(status), ...(status === 0 ? [] : ['non-zero'])];
  return names.find((name) => Object.hasOwn(hooks, name) && isAttributes(hooks[name]));
}
