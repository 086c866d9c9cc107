import { isAttributes } from './attributes.ts';
import { severityOf } from './severity.ts';

/**
 * The one hook that runs after a check with this status: the one of exactly this status, or of its severity, or of any
 * status but 0 (reference 2.2.2, completion 1.12).
 *
 * @param hooks the attribute of the check, by name of the hook
 * @returns its name; undefined when none runs
 */
export function hookFor(hooks: unknown, status: number): string | undefined {
  if (!isAttributes(hooks)) return undefined;
  const names = [String(status), severityOf(status), ...(status === 0 ? [] : ['non-zero'])];
  return names.find((name) => Object.hasOwn(hooks, name) && isAttributes(hooks[name]));
}
