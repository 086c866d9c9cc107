import type { CheckResult } from '../../../../shared/schemas/result.ts';
import type { Registry } from '../registry/registry.ts';

/**
 * The names of a namespace and a check as one key, with a slash between them. The name of a namespace contains no
 * slash.
 */
export type CheckKey = `${string}/${string}`;

export function checkKey(namespace: string, check: string): CheckKey {
  return `${namespace}/${check}`;
}

/** Returns the names of the namespace and the check in a key. */
export function namesOf(key: CheckKey): readonly [namespace: string, check: string] {
  const at = key.indexOf('/');
  return [key.slice(0, at), key.slice(at + 1)];
}

/** The checks whose definition has, or once had, a `ttl`. Only transactions change this list. */
class TtlDefinitions {
  /** The time in epoch seconds when the definition of each check lost its `ttl`; null if it still has one. */
  checks: ReadonlyMap<CheckKey, number | null> = new Map();

  /**
   * True if the `ttl` of a result is ignored, because the definition of the check lost its `ttl` after the result was
   * issued. If the result was issued later, its `ttl` is used. The `ttl` of a standalone check is always used.
   */
  isRetired(namespace: string, check: CheckResult): boolean {
    const removed = this.checks.get(checkKey(namespace, check.name));
    return typeof removed === 'number' && check['standalone'] !== true && check.issued <= removed;
  }
}

const openTtlDefinitions = (): TtlDefinitions => new TtlDefinitions();

export function ttlDefinitionsOf(registry: Pick<Registry, 'state'>): TtlDefinitions {
  return registry.state(openTtlDefinitions);
}
