import type { SearchField } from '../search-field.ts';

/** What this console has said, and what the backend has written down of everybody's actions. */
export type LogTab = 'messages' | 'audit';

/** The log over the view. */
export interface LogLayer {
  readonly kind: 'log';
  readonly tab: LogTab;
  /** Id of the entry under the cursor; `undefined`, or gone: the newest. */
  readonly at: number | undefined;
  /** First line that is shown of the whole entry; `undefined`: the list is shown. */
  readonly opened: number | undefined;
  readonly search: SearchField;
}
