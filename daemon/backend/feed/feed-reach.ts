import { hash } from 'node:crypto';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { maySeeNamespace, refuseOutsideNamespace, type Principal } from '../access/principal.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { ConsumerReach } from '../model/tables/feed-topic.ts';

/** The namespaces that a feed consumer reads. Two consumers with the same `id` get the same rows of a topic. */
export class FeedReach implements ConsumerReach {
  readonly id: string;
  readonly hasManyNamespaces: boolean;
  /** The only namespace that the consumer reads; undefined if it reads all namespaces. */
  readonly only: string | undefined;
  readonly seesPlans: boolean;

  private constructor(scope: Pick<FeedReach, 'hasManyNamespaces' | 'only' | 'seesPlans'>) {
    this.hasManyNamespaces = scope.hasManyNamespaces;
    this.only = scope.only;
    this.seesPlans = scope.seesPlans;
    // Namespace names contain no space.
    this.id = [
      scope.only ?? EVERY_NAMESPACE,
      ...(scope.hasManyNamespaces ? ['many'] : []),
      String(scope.seesPlans),
    ].join(' ');
  }

  /**
   * @param requestedNamespace name of a namespace, or `*` for all namespaces that the principal may read
   * @throws MonError `forbidden` if the principal is limited to another namespace; `not_found` if there is no such
   *   namespace
   */
  static of(principal: Principal, requestedNamespace: string, registry: Pick<Registry, 'hasNamespace'>): FeedReach {
    const seesPlans = maySeeNamespace(principal, DEFAULT_NAMESPACE);
    if (requestedNamespace === EVERY_NAMESPACE)
      return new FeedReach({ hasManyNamespaces: true, only: principal.namespace, seesPlans });
    refuseOutsideNamespace(principal, requestedNamespace);
    refuseUnknownNamespace(registry, requestedNamespace);
    return new FeedReach({ hasManyNamespaces: false, only: requestedNamespace, seesPlans });
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
 * Returns the store id that a principal gets in `hello`. The id is different for a principal that is limited to a
 * namespace. So a consumer that reconnects with other rights cannot resume with the rows it has, and gets a snapshot.
 */
export function storeIdFor({ namespace }: Pick<Principal, 'namespace'>, storeId: string): string {
  return namespace === undefined ? storeId : `${storeId}.${hash('sha256', namespace).slice(0, 16)}`;
}
