import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { RecentProblems } from '../../shared/schemas/silence-preview.ts';
import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';
import type { Message, MessageLog } from '../model/message-log.ts';
import type { SilenceMatches } from '../model/silence-matches.ts';
import type { SilencePreview } from '../model/silence-preview.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { ConsoleState } from './console-state.ts';
import type { Effect } from './effects.ts';
import type { OwnChanges } from './undo.ts';
import type { LoadedView } from '../model/view-data.ts';
import type { ViewName } from './view-names.ts';
import type { LastSilence, SilenceForm } from './layers/silence.ts';

/*
 * What functions of the console take, each only those that it uses: `Screen & Says`. `Known` and `Places` are in the
 * model, `ListOfView` is beside the lists. One object stands behind all of them, which only `console.tsx` names.
 */

/** What is shown. */
export interface Shown {
  readonly state: ConsoleState;
}

/** What is shown, and can be replaced. */
export interface Screen extends Shown {
  update(change: Partial<ConsoleState>): void;
}

/** What is shown, put in its place before a frame that is drawn in any case. */
export interface Settles extends Shown {
  settle(change: Partial<ConsoleState>): void;
}

/** Tells the person at the console, and keeps it in the log. */
export interface Says {
  say(text: string, tone?: Message['tone']): void;
}

/** Asks for something outside the console. */
export interface Asks {
  request(effect: Effect): void;
}

/** What the console was opened with. */
export interface Opened {
  readonly options: ConsoleOptions;
}

/** What was said and done at this console. */
export interface Remembers {
  readonly log: MessageLog;
  readonly ownChanges: OwnChanges;
}

/** What the silence dialog and the screen of a silence have to know. */
export interface Silencing {
  /** What a silence must keep to; until the backend has said it, what it says by default. */
  readonly silencePolicy: SilencePolicy;
  /** What the last silence made here was set to. */
  readonly lastSilence: LastSilence | undefined;
  /** What the backend said of the scope of the silence dialog. */
  readonly silenceRecent: {
    /** @returns `undefined`: nobody has said */
    of(form: SilenceForm): RecentProblems | undefined;
    /** Why the backend would not make it; `undefined`: it did not say so. */
    refusalOf(form: SilenceForm): string | undefined;
    /** @param key of the scope */
    answered(key: string, problems: RecentProblems): void;
    refused(key: string, problem: string): void;
    failed(key: string, nowMs: number): void;
  };
  /** For the next silence. */
  rememberSilence(silence: LastSilence): void;
  /** What the silence dialog would cover now. */
  silencePreview(form: SilenceForm): SilencePreview;
  /** The events that a silence covers, or would if it were in effect. */
  silenceMatches(entry: SilencedRow): SilenceMatches;
}

/** Holds back what arrives, while somebody reads. */
export interface Pauses {
  pause(): void;
  resume(): void;
}

/** What there is to draw: nothing but time, figures in the header, or rows in the window. */
export type Urgency = 'none' | 'figures' | 'rows';

/** Hears which rows of the tables may be others. */
export interface Rows {
  /** This row may be another, new or gone. */
  changed(view: ViewName, key: string): void;
  allChanged(view: ViewName | LoadedView): void;
}

/** Makes a frame come soon. */
export interface Frames {
  touch(urgency: Urgency): void;
}
