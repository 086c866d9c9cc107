import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import type { SearchField } from '../search-field.ts';
import type { EventActivity } from '../../model/event-activity.ts';
import type { EventTarget } from '../../model/target.ts';

/** The panels of the screen of an event. `values` draws the performance data of the check. */
export const DETAIL_PANELS = [
  'output',
  'notifications',
  'related',
  'history',
  'silences',
  'actions',
  'values',
  'client',
] as const;
export type DetailPanel = (typeof DETAIL_PANELS)[number];

/** The load state of an event. A loaded event has the row that the feed had sent by then. */
export type EventLoad =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'loaded';
      readonly event: Event;
      readonly row: EventRow | undefined;
      /** Epoch seconds of the next scheduled run; `undefined` if no run is scheduled or it was not requested. */
      readonly nextRun: number | undefined;
      /** How each handler handles the event; `undefined` if the backend did not report it, or it was not requested. */
      readonly handling: EventExplanation | undefined;
      /** The activity of its check; `undefined` if it was not requested. */
      readonly activity: EventActivity | undefined;
      readonly reloading: boolean;
      /**
       * The reason why the last reload failed, while the event that was loaded before is still shown; absent if it did
       * not fail.
       */
      readonly failure?: string;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

/** The screen of one event. */
export interface DetailLayer {
  readonly kind: 'detail';
  readonly target: EventTarget;
  readonly load: EventLoad;
  /**
   * The newest row of the event in the feed, or its last row if the event has resolved; `undefined` if the console
   * never had a row.
   */
  readonly row: EventRow | undefined;
  /** Epoch milliseconds when the event resolved; 0 if unknown after a pause, `undefined` if it did not resolve. */
  readonly resolvedAtMs: number | undefined;
  /** Index of the first visible line below the head of a screen without panels side by side. */
  readonly top: number;
  /** The panel that has the focus. */
  readonly panel: DetailPanel;
  /** Index of the first visible line of each panel that was scrolled. */
  readonly tops: Readonly<Partial<Record<DetailPanel, number>>>;
  /** Key of the related event or relation under the cursor; `undefined` for the first one. */
  readonly related: string | undefined;
  /** True if a screen without panels shows all lines of the output, and not only the first ones. */
  readonly isOutputExpanded: boolean;
  readonly raw: boolean;
  readonly wrap: boolean;
  readonly search: SearchField;
}
