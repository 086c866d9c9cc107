import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';

/** Returns a predicate that accepts objects of the shown namespace, or all objects if all namespaces are shown. */
export function isInShownNamespace({
  namespace: shown = DEFAULT_NAMESPACE,
}: {
  readonly namespace?: string | undefined;
}): (item: { readonly namespace: string }) => boolean {
  return ({ namespace }) => shown === EVERY_NAMESPACE || namespace === shown;
}
