import type { SearchField } from '../search-field.ts';
import type { KeyContext } from '../key-context.ts';

/** The keys of the place that the help was asked for in. */
export interface HelpLayer {
  readonly kind: 'help';
  readonly context: KeyContext;
  /** The action of the binding under the cursor; `undefined`, or not shown: the first. */
  readonly at: string | undefined;
  readonly search: SearchField;
}
