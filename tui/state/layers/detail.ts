import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import type { SearchField } from '../search-field.ts';
import type { Target } from '../../model/target.ts';

/** A whole event from the backend, and the row that the feed had for it then. */
export type EventLoad =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'loaded';
      readonly event: Event;
      readonly row: EventRow | undefined;
      /** When the backend asks for the check again, epoch seconds; undefined when it does not, or was not asked. */
      readonly nextRun: number | undefined;
      /** What becomes of it at its handlers; undefined when the backend did not tell, or was not asked. */
      readonly handling: EventExplanation | undefined;
      readonly reloading: boolean;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

/** The whole event on its own screen. */
export interface DetailLayer {
  readonly kind: 'detail';
  readonly target: Target;
  readonly load: EventLoad;
  /** First line of the body that is shown. */
  readonly top: number;
  readonly raw: boolean;
  readonly wrap: boolean;
  readonly search: SearchField;
}
