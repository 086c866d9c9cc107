import { MonError } from '../../../shared/errors.ts';
import type { Registry } from '../model/registry/registry.ts';

/** @throws MonError `not_found` if the namespace does not exist */
export function refuseUnknownNamespace(registry: Pick<Registry, 'hasNamespace'>, namespace: string): void {
  if (!registry.hasNamespace(namespace)) throw unknownNamespace(namespace);
}

/**
 * Returns the error for a namespace that does not exist. Its text is the one that Sensu Go sends to agents (clients 6).
 */
export function unknownNamespace(namespace: string): MonError {
  return new MonError('not_found', `namespace "${namespace}" not found`);
}
