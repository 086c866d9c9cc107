import type { SearchField } from '../search-field.ts';

/** The tabs of the log: the messages of this console, and the audit trail of the backend. */
export type LogTab = 'messages' | 'audit';

/** The log screen, which is shown over the view. */
export interface LogLayer {
  readonly kind: 'log';
  readonly tab: LogTab;
  /** Id of the entry under the cursor. If it is `undefined` or gone, the cursor is on the newest entry. */
  readonly at: number | undefined;
  /** Index of the first visible line of the opened entry; `undefined` if the list is shown. */
  readonly opened: number | undefined;
  readonly search: SearchField;
}
