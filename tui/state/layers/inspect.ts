import type { AggregateResults, AggregateSummary } from '../../../shared/schemas/aggregate.ts';
import type { DefinedCheck } from '../../../shared/schemas/scheduled-check.ts';
import type { Severity } from '../../../shared/domain/severity.ts';
import type { CheckOfClient, ClientDetail } from '../../../shared/schemas/check-summary.ts';
import type { StoredResult } from '../../../shared/schemas/result.ts';
import { CURSOR_AT_TOP, type ListCursor } from '../list-cursor.ts';
import { NO_SEARCH, type SearchField } from '../search-field.ts';
import { NOT_LOADED, type ViewLoad } from '../../model/view-data.ts';
import type { SortState } from '../../model/list-order.ts';

export type SubjectKind = 'client' | 'check' | 'aggregate' | 'result';

/** What the screen of one thing is about. A result is named by the key of its event. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly name: string;
}

/** Results of a check that are asked for: the worst come first, and nobody reads more. */
export const CHECK_RESULTS_MAX = 1000;

/** Outputs of an aggregate under one severity. */
export interface AggregateOutputs {
  readonly severity: Severity;
  readonly results: readonly AggregateResults[];
}

/** Everything about a subject, as the backend said it last. */
export type SubjectData =
  | { readonly kind: 'client'; readonly detail: ClientDetail }
  | {
      readonly kind: 'check';
      readonly name: string;
      /** `undefined`: the backend does not publish it. */
      readonly definition: DefinedCheck | undefined;
      readonly results: readonly CheckOfClient[];
    }
  | {
      readonly kind: 'aggregate';
      readonly summary: AggregateSummary;
      /** The worst severity first. */
      readonly outputs: readonly AggregateOutputs[];
    }
  | { readonly kind: 'result'; readonly result: StoredResult };

/** A client, a check, an aggregate or a result on a screen of its own. */
export interface InspectLayer {
  readonly kind: 'inspect';
  readonly subject: Subject;
  readonly load: ViewLoad<SubjectData>;
  /** On the rows as they were drawn last: what a key acts on. */
  readonly cursor: ListCursor;
  /** When another row came under the cursor, because the one that was there went. */
  readonly shiftedAtMs: number;
  /** Keys of the rows whose members are listed. */
  readonly opened: ReadonlySet<string>;
  readonly raw: boolean;
  /** First line that is shown of what is text and has no rows. */
  readonly top: number;
  /** In a text the words to find, in rows the filter. */
  readonly search: SearchField;
  /** Of the rows; `undefined`: the worst first. */
  readonly sort: SortState | undefined;
  /** Keys of the rows that an action is about, in place of the one under the cursor. */
  readonly marks: ReadonlySet<string>;
  /** How the rows are looked at from the side, as in lists. */
  readonly sideways: number;
  readonly wide: boolean;
}

export function inspectLayer(subject: Subject): InspectLayer {
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

export function isSameSubject(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name;
}
