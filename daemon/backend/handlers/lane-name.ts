import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';

/** What a handler is called where those of all namespaces are told of: in `default` by its name alone. */
export function laneName({ namespace, handler }: { readonly namespace: string; readonly handler: string }): string {
  return namespace === DEFAULT_NAMESPACE ? handler : `${namespace}/${handler}`;
}
