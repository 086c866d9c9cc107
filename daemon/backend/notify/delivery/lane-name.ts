import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';

/** Returns the name of a handler in a list of all namespaces; in `default` it is the plain name. */
export function laneName({ namespace, handler }: { readonly namespace: string; readonly handler: string }): string {
  return namespace === DEFAULT_NAMESPACE ? handler : `${namespace}/${handler}`;
}
