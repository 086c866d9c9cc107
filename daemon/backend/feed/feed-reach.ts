import { hash } from 'node:crypto';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { maySee, refuseOutsideNamespace, type Principal } from '../access/principal.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Reach } from '../model/tables/feed-topic.ts';

/** The namespaces that a consumer reads. Equal `id`s mean equal content. */
export class FeedReach implements Reach {
  readonly id: string;
  readonly isMany: boolean;
  /** The only namespace; undefined: all of them. */
  readonly only: string | undefined;
  readonly seesPlans: boolean;

  private constructor(scope: Pick<FeedReach, 'isMany' | 'only' | 'seesPlans'>) {
    this.isMany = scope.isMany;
    this.only = scope.only;
    this.seesPlans = scope.seesPlans;
    // Namespace names contain no space.
    this.id = [scope.only ?? EVERY_NAMESPACE, ...(scope.isMany ? ['many'] : []), String(scope.seesPlans)].join(' ');
  }

  /**
   * @param requestedNamespace a name, or `*`: all that the principal may see
   * @throws MonError `forbidden` for another namespace than that of the principal; `not_found` if there is no such
   *   namespace
   */
  static of(principal: Principal, requestedNamespace: string, registry: Pick<Registry, 'hasNamespace'>): FeedReach {
    const seesPlans = maySee(principal, DEFAULT_NAMESPACE);
    if (requestedNamespace === EVERY_NAMESPACE)
      return new FeedReach({ isMany: true, only: principal.namespace, seesPlans });
    refuseOutsideNamespace(principal, requestedNamespace);
    refuseUnknownNamespace(registry, requestedNamespace);
    return new FeedReach({ isMany: false, only: requestedNamespace, seesPlans });
  }

  includes(namespace: string): boolean {
    return this.only === undefined || this.only === namespace;
  }

  namespaces(registry: Pick<Registry, 'findNamespace' | 'namespaces'>): readonly Namespace[] {
    if (this.only === undefined) return [...registry.namespaces()];
    const namespace = registry.findNamespace(this.only);
    return namespace === undefined ? [] : [namespace];
  }
}

/**
 * Returns the store id for a principal. A principal that is limited to a namespace gets another one. So a consumer that
 * reconnects with other rights starts over, because its rows would be too many or too few.
 */
export function storeHeardBy({ namespace }: Pick<Principal, 'namespace'>, storeId: string): string {
  return namespace === undefined ? storeId : `${storeId}.${hash('sha256', namespace).slice(0, 16)}`;
}
