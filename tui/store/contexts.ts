import type { ConsoleStore } from './console-store.ts';
import type { MenuItem } from './menu.ts';

/** The backends that a person can choose from, by name. */
export interface Contexts {
  readonly names: readonly string[];
  /** `undefined`: the backend was named on the command line. */
  readonly current: string | undefined;
}

/** The contexts as choices of a menu. */
export function contextItems({ options }: ConsoleStore): readonly MenuItem[] {
  const { names = [], current } = options.contexts ?? {};
  return names.map((name) => ({
    id: name,
    label: name,
    disabled: name === current ? 'shown now' : undefined,
    choose: (store) => store.request({ kind: 'switch-context', name }),
  }));
}
