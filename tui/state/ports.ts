import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { RecentProblems } from '../../shared/schemas/silence-preview.ts';
import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';
import type { ConsoleMessage, MessageLog } from '../model/message-log.ts';
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
 * Interfaces that functions of the console receive. Each function takes only the ones it uses, such as
 * `Screen & MessageSink`. `LiveData` and `MergedSources` are in the model, and `ListOfView` is in the folder of the
 * lists. One object implements all of them, and only `console.tsx` names it.
 */

/** Reads the state of the screen. */
export interface Shown {
  readonly state: ConsoleState;
}

/** Reads and replaces the state of the screen. */
export interface Screen extends Shown {
  update(change: Partial<ConsoleState>): void;
}

/** Adjusts the state before a frame that is drawn anyway. */
export interface Settles extends Shown {
  settle(change: Partial<ConsoleState>): void;
}

/** Shows a message to the user and adds it to the log. */
export interface MessageSink {
  say(text: string, tone?: ConsoleMessage['tone']): void;
}

/** Requests an effect outside the console. */
export interface Asks {
  request(effect: Effect): void;
}

/** The options that the console was opened with. */
export interface Opened {
  readonly options: ConsoleOptions;
}

/** The messages and changes of this console. */
export interface Remembers {
  readonly log: MessageLog;
  readonly ownChanges: OwnChanges;
}

/** The data of the silence dialog and of the screen of a silence. */
export interface Silencing {
  /** The policy for silences; a default until the backend has sent it. */
  readonly silencePolicy: SilencePolicy;
  /** The settings of the last silence that was created here. */
  readonly lastSilence: LastSilence | undefined;
  /** The backend's response about the scope of the silence dialog. */
  readonly silenceRecent: {
    /**
     * Returns the recent problems.
     *
     * @returns `undefined` until the backend has answered
     */
    of(form: SilenceForm): RecentProblems | undefined;
    /** Returns why the backend would reject the silence; `undefined` if it did not say so. */
    refusalOf(form: SilenceForm): string | undefined;
    /**
     * Stores the response.
     *
     * @param key identifies the scope
     */
    answered(key: string, problems: RecentProblems): void;
    refused(key: string, problem: string): void;
    failed(key: string, nowMs: number): void;
  };
  /** The form of a silence dialog that was canceled; `undefined` if the last one was submitted. */
  readonly silenceDraft: SilenceForm | undefined;
  keepSilenceDraft(form: SilenceForm | undefined): void;
  /** Stores the settings for the next silence. */
  rememberSilence(silence: LastSilence): void;
  /** Returns what the silence dialog would cover now. */
  silencePreview(form: SilenceForm): SilencePreview;
  /** Returns the events that a silence covers, or would cover if it were active. */
  silenceMatches(entry: SilencedRow): SilenceMatches;
}

/** Pauses the feed while the user reads. */
export interface Pauses {
  pause(): void;
  resume(): void;
}

/** The parts to draw: only the time, figures in the header, or visible rows. */
export type Urgency = 'none' | 'figures' | 'rows';

/** Records which rows of the tables may have changed. */
export interface Rows {
  /** Records that this row may have changed, appeared or disappeared. */
  changed(view: ViewName, key: string): void;
  allChanged(view: ViewName | LoadedView): void;
}

/** Schedules a frame. */
export interface Frames {
  touch(urgency: Urgency): void;
}
