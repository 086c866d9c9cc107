import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';

/**
 * Returns the name of a handler in a list of handlers from all namespaces: `namespace/handler`, or only `handler` if
 * its namespace is `default`.
 */
export function qualifiedHandlerName({
  namespace,
  handler,
}: {
  readonly namespace: string;
  readonly handler: string;
}): string {
  return namespace === DEFAULT_NAMESPACE ? handler : `${namespace}/${handler}`;
}
