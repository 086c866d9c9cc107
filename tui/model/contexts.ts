import { ALL_CONTEXTS } from './backend-names.ts';

/** The names of the contexts, which are the configured backends that the user can switch to. */
export interface Contexts {
  readonly names: readonly string[];
  /** The name of the current context; `undefined` if the backend was chosen by its address instead of a context. */
  readonly current: string | undefined;
}

/** Returns the names that the user can switch to: each context, and `all` for the merged list if there are several. */
export function contextNames(contexts: Contexts | undefined): readonly string[] {
  const { names = [] } = contexts ?? {};
  return names.length > 1 ? [...names, ALL_CONTEXTS] : names;
}
