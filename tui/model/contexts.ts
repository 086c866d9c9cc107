import { ALL_CONTEXTS } from './backend-names.ts';

/** The backends that a person can choose from, by name. */
export interface Contexts {
  readonly names: readonly string[];
  /** `undefined`: the backend was named on the command line. */
  readonly current: string | undefined;
}

/** What can be shown: each of them and, of several, all as one. */
export function contextNames(contexts: Contexts | undefined): readonly string[] {
  const { names = [] } = contexts ?? {};
  return names.length > 1 ? [...names, ALL_CONTEXTS] : names;
}
