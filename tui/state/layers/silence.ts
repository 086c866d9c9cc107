import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { LineEditor } from '../../text/line-editor.ts';
import type { Target } from '../../model/target.ts';

export interface SilenceLayer {
  readonly kind: 'silence';
  readonly form: SilenceForm;
}

export type SilenceScope = 'pairs' | 'checks' | 'clients' | 'subscription' | 'search';

export type SilenceField =
  | 'scope'
  | 'subscription'
  | 'selector'
  | 'expires'
  | 'custom'
  | 'on-resolve'
  | 'starts'
  | 'at'
  | 'schedule'
  | 'zone'
  | 'lasts'
  | 'first-day'
  | 'last-day'
  | 'reason'
  | 'cancel'
  | 'submit';

/** Entries that the form is about instead of events: they are changed, made again after their end, or new. */
export interface SilenceOrigin {
  readonly kind: 'change' | 'again' | 'new';
  readonly entries: readonly SilencedRow[];
}

/** The silence dialog. It keeps its targets by name, whatever happens to the list behind it. */
export interface SilenceForm {
  readonly targets: readonly Target[];
  readonly origin: SilenceOrigin | undefined;
  readonly scope: SilenceScope;
  /** Subscriptions that every target's client holds, its own `client:` one excluded. */
  readonly subscriptions: readonly string[];
  readonly subscription: number;
  /** What is searched for, in place of all that was named. */
  readonly selector: LineEditor;
  /** Place in `silenceDurations`. */
  readonly duration: number;
  readonly custom: LineEditor;
  readonly onResolve: boolean;
  /** Whether the start can be chosen: not of what has begun already, and not for several that have each their own. */
  readonly hasStart: boolean;
  readonly starts: 'now' | 'at' | 'recurs';
  readonly at: LineEditor;
  /** When windows begin that recur, where the clock of that hangs, how long each lasts, and from which day to which. */
  readonly schedule: LineEditor;
  readonly zone: LineEditor;
  readonly lasts: LineEditor;
  readonly firstDay: LineEditor;
  readonly lastDay: LineEditor;
  /** Of entries that are changed it is a note that is added to theirs. */
  readonly reason: LineEditor;
  readonly field: SilenceField;
  /** Why it was not sent, and what to do. */
  readonly problem: string | undefined;
  /** The form has warned that this covers a lot: the next time it is sent. */
  readonly isWarned: boolean;
}

/** What a silence was set to, whatever it was about. */
export type LastSilence = Pick<
  SilenceForm,
  | 'scope'
  | 'duration'
  | 'custom'
  | 'onResolve'
  | 'starts'
  | 'at'
  | 'schedule'
  | 'zone'
  | 'lasts'
  | 'firstDay'
  | 'lastDay'
  | 'reason'
> & { readonly subscriptionName: string | undefined };
