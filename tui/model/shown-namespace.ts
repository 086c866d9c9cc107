import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';

/** Of an answer about all namespaces that the credentials may see: what is in the one that is shown, or everything. */
export function isInShown({
  namespace: shown = DEFAULT_NAMESPACE,
}: {
  readonly namespace?: string | undefined;
}): (item: { readonly namespace: string }) => boolean {
  return ({ namespace }) => shown === EVERY_NAMESPACE || namespace === shown;
}
