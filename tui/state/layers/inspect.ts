import type { AggregateResults, AggregateSummary } from '../../../shared/schemas/aggregate.ts';
import type { AvailabilityReport } from '../../../shared/schemas/availability.ts';
import type { DefinedCheck } from '../../../shared/schemas/scheduled-check.ts';
import type { Severity } from '../../../shared/domain/severity.ts';
import type { CheckOfClient, ClientDetail } from '../../../shared/schemas/check-summary.ts';
import type { StoredResult } from '../../../shared/schemas/result.ts';
import { CURSOR_AT_TOP, type ListCursor } from '../list-cursor.ts';
import { NO_SEARCH, type SearchField } from '../search-field.ts';
import { NOT_LOADED, type ViewLoad } from '../../model/view-data.ts';
import type { SortState } from '../../model/list-order.ts';

export type SubjectKind = 'client' | 'check' | 'aggregate' | 'result';

/** The object that an inspect screen shows. The name of a result is the key of its event. */
export interface InspectSubject {
  readonly kind: SubjectKind;
  readonly name: string;
}

/** Maximum number of results of a check that are requested. The worst come first, and nobody reads more. */
export const CHECK_RESULTS_MAX = 1000;

/** The outputs of an aggregate's results that have the same severity. */
export interface AggregateOutputs {
  readonly severity: Severity;
  readonly results: readonly AggregateResults[];
}

/** The history of the current members of an aggregate in the last 24 hours. */
export interface AggregateHistory {
  readonly report: Pick<AvailabilityReport, 'since' | 'until' | 'over_time'>;
  /** Epoch milliseconds when the history was loaded. It is loaded less often than the aggregate. */
  readonly loadedAtMs: number;
}

/** The data about a client, check, aggregate or result, from the last response of the backend. */
export type SubjectData =
  | { readonly kind: 'client'; readonly detail: ClientDetail }
  | {
      readonly kind: 'check';
      readonly name: string;
      /** The definition of the check; `undefined` if the backend does not publish this check. */
      readonly definition: DefinedCheck | undefined;
      readonly results: readonly CheckOfClient[];
    }
  | {
      readonly kind: 'aggregate';
      readonly summary: AggregateSummary;
      /** The outputs by severity, the worst severity first. */
      readonly outputs: readonly AggregateOutputs[];
      /** The history of the members; absent if it is not known. */
      readonly history?: AggregateHistory | undefined;
    }
  | { readonly kind: 'result'; readonly result: StoredResult };

/** The screen of a client, a check, an aggregate or a result. */
export interface InspectLayer {
  readonly kind: 'inspect';
  readonly subject: InspectSubject;
  readonly load: ViewLoad<SubjectData>;
  /** The cursor in the rows of the last frame. Keys act on the row under it. */
  readonly cursor: ListCursor;
  /** Epoch milliseconds when another row last moved under the cursor because the previous row disappeared. */
  readonly shiftedAtMs: number;
  /** Keys of the group rows whose members are shown. */
  readonly opened: ReadonlySet<string>;
  readonly raw: boolean;
  /** Index of the first visible line, if the screen shows text without rows. */
  readonly top: number;
  /** The words to find if the screen shows text, or the filter if it shows rows. */
  readonly search: SearchField;
  /** The sort order of the rows; `undefined` if the worst rows come first. */
  readonly sort: SortState | undefined;
  /** Keys of the marked rows. If there are any, an action affects them instead of the row under the cursor. */
  readonly marks: ReadonlySet<string>;
  /** The number of horizontal scroll steps to the right, as in lists. */
  readonly sideways: number;
  readonly wide: boolean;
}

export function inspectLayer(subject: InspectSubject): InspectLayer {
  return {
    kind: 'inspect',
    subject,
    load: NOT_LOADED,
    cursor: CURSOR_AT_TOP,
    shiftedAtMs: -Infinity,
    opened: new Set(),
    raw: false,
    top: 0,
    search: NO_SEARCH,
    sort: undefined,
    marks: new Set(),
    sideways: 0,
    wide: false,
  };
}

export function isSameSubject(a: InspectSubject, b: InspectSubject): boolean {
  return a.kind === b.kind && a.name === b.name;
}
