import type { CheckResult } from '../../../../shared/schemas/result.ts';
import type { Registry } from '../registry/registry.ts';

/** A check in a namespace, as a key: the name of a namespace has no slash. */
export type CheckKey = `${string}/${string}`;

export function checkKey(namespace: string, check: string): CheckKey {
  return `${namespace}/${check}`;
}

/** Returns the names in a key. */
export function namesOf(key: CheckKey): readonly [namespace: string, check: string] {
  const at = key.indexOf('/');
  return [key.slice(0, at), key.slice(at + 1)];
}

/** The checks whose definition has, or had, a `ttl`. Only transactions change them. */
class TtlDefinitions {
  /** Time when the definition lost its ttl, in epoch seconds; null: it still has one. */
  checks: ReadonlyMap<CheckKey, number | null> = new Map();

  /**
   * True if the ttl of a result no longer counts, because the definition lost it after the result was issued. This
   * recognizes results that were under way at that moment. A result with a ttl that is sent later counts.
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
