import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';

/**
 * Returns the name of a handler that is unique in all namespaces: `namespace/handler`, or only `handler` if the
 * namespace is `default`.
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
