import { ALL_CONTEXTS } from './backend-names.ts';
import type { ConsoleStore } from '../state/console-store.ts';
import type { MenuItem } from '../form/menu.ts';

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

/** The contexts as choices of a menu. */
export function contextItems({ options }: ConsoleStore): readonly MenuItem[] {
  const { current } = options.contexts ?? {};
  return contextNames(options.contexts).map((name) => ({
    id: name,
    label: name,
    disabled: name === current ? 'shown now' : undefined,
    choose: (store) => store.request({ kind: 'switch-context', name }),
  }));
}
