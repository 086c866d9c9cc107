import type { SearchField } from '../search-field.ts';
import type { KeyContext } from '../key-context.ts';

/** The help with the keys of the context from which it was opened. */
export interface HelpLayer {
  readonly kind: 'help';
  readonly context: KeyContext;
  /**
   * The action of the binding under the cursor. If it is `undefined` or not shown, the cursor is on the first
   * one.
   */
  readonly at: string | undefined;
  readonly search: SearchField;
}
