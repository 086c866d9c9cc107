import { ALL_CONTEXTS } from './backend-names.ts';

/** The backends that can be chosen, by name. */
export interface Contexts {
  readonly names: readonly string[];
  /** `undefined` if the command line named the backend. */
  readonly current: string | undefined;
}

/** Returns the names that can be shown: each backend, and all as one if there are several. */
export function contextNames(contexts: Contexts | undefined): readonly string[] {
  const { names = [] } = contexts ?? {};
  return names.length > 1 ? [...names, ALL_CONTEXTS] : names;
}
