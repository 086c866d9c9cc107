import type { ChosenCompletion } from '../text/complete-line.ts';
import type { VisitedObject } from './visited.ts';
import type { LineInHistory } from '../text/line-history.ts';
import { INITIAL_LIST, type ListState } from './list-state.ts';
import type { Theme } from '../text/theme.ts';
import { NO_HISTORY, type ViewHistory } from './view-history.ts';
import { FIRST_OVERVIEW_POSITION, type OverviewPosition } from './overview-position.ts';
import { FIRST_UPGRADE_POSITION, type UpgradePosition } from './upgrade-position.ts';
import { VIEWS, type ViewName } from './view-names.ts';
import { isFoldKey } from '../model/fold-by.ts';
import { targetOf, type EventTarget } from '../model/target.ts';
import type { ConsoleMessage } from '../model/message-log.ts';
import type { SavedView } from './saved-view.ts';
import { DEFAULT_ATTENTION, type Attention } from './attention.ts';
import type { EventLoad } from './layers/detail.ts';
import type { Layer } from './layers/layer.ts';
import { INITIAL_PANE, type PaneState } from './pane.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Smallest screen with keys and dialogs. A smaller one only shows the counters and the first rows of the list. */
export const SMALLEST_SCREEN: ScreenSize = { columns: 60, rows: 16 };

/** Minimum number of screen rows at which a tall header, and a pane below the list, are shown. */
export const TALL_ROWS = 30;

/** The moment of the past that is shown, and the times of the changes before and after it, in epoch milliseconds. */
export interface PastMoment {
  readonly atMs: number;
  /** Time of the change before the shown moment; `undefined` if no earlier change is known. */
  readonly previousMs: number | undefined;
  readonly nextMs: number | undefined;
  /**
   * The number of loaded events (`rows`) and of all events (`total`), if not all are loaded yet. The worst are loaded
   * first.
   */
  readonly partial?: { readonly rows: number; readonly total: number };
}

/** The line in which the user types a filter. */
export interface FilterPrompt extends LineInHistory {
  /** The chosen completion of a word; absent after the user typed something else. */
  readonly chosen?: ChosenCompletion | undefined;
}

/** The state of the user interface, without the data of the backend. Every change creates a new object. */
export interface ConsoleState {
  readonly size: ScreenSize;
  readonly view: ViewName;
  readonly history: ViewHistory;
  /** The state of each view's list, such as cursor and filter, also of views that are not shown. */
  readonly views: Readonly<Record<ViewName, ListState>>;
  /** The editor in which the user types the filter of the shown view; `undefined` if it is closed. */
  readonly prompt: FilterPrompt | undefined;
  readonly layers: readonly Layer[];
  /** The objects whose screens the user has opened, the last first. */
  readonly visited: readonly VisitedObject[];
  readonly message: ConsoleMessage | undefined;
  /** The moment of the past that is shown; `undefined` if live data is shown. */
  readonly past: PastMoment | undefined;
  /** The moment of the past that is being loaded; `undefined` if no moment is being loaded. */
  readonly travel: { readonly atMs: number } | undefined;
  readonly paused: { readonly sinceMs: number; readonly unseen: number } | undefined;
  readonly pane: PaneState;
  /** True if the header of a tall screen contains counters and tabs. */
  readonly header: boolean;
  readonly overview: OverviewPosition;
  readonly upgrade: UpgradePosition;
  readonly peek: { readonly target: EventTarget; readonly load: EventLoad } | undefined;
  readonly readOnly: boolean;
  /** True if the terminal has the focus. Without it, changes of the feed are drawn once a second. */
  readonly focused: boolean;
  readonly interruptedAtMs: number;
  /** Time of the last submission of a form or confirmation, in epoch milliseconds. */
  readonly submittedAtMs: number;
  /** Earlier command lines, the newest last. */
  readonly commandHistory: readonly string[];
  readonly savedViews: ReadonlyMap<string, SavedView>;
  /** The theme settings that the user changed since the console was started. */
  readonly themeChanges: Partial<Theme>;
  readonly attention: Attention;
  /**
   * True if the terminal reports wheel and clicks to the console. While this is true, the terminal does not let the
   * user select text with the mouse as usual.
   */
  readonly mouse: boolean;
  /** The row that the mouse clicked last, and when in epoch milliseconds; `undefined` if it clicked none. */
  readonly clicked: { readonly key: string; readonly atMs: number } | undefined;
  /** Time until which the sorting of the list pauses because a cursor key was pressed, in epoch milliseconds. */
  readonly orderPausedUntilMs: number;
}

export function initialState(size: ScreenSize, readOnly: boolean): ConsoleState {
  return {
    size,
    view: 'events',
    history: NO_HISTORY,
    views: initialViews(),
    prompt: undefined,
    layers: [],
    visited: [],
    message: undefined,
    past: undefined,
    travel: undefined,
    paused: undefined,
    pane: INITIAL_PANE,
    header: true,
    overview: FIRST_OVERVIEW_POSITION,
    upgrade: FIRST_UPGRADE_POSITION,
    peek: undefined,
    readOnly,
    focused: true,
    interruptedAtMs: -Infinity,
    submittedAtMs: -Infinity,
    commandHistory: [],
    savedViews: new Map(),
    themeChanges: {},
    attention: DEFAULT_ATTENTION,
    mouse: false,
    clicked: undefined,
    orderPausedUntilMs: 0,
  };
}

/** Returns the event that is drawn under the cursor of the list of events; `undefined` if it is a fold. */
export function eventUnderCursor({ views }: Pick<ConsoleState, 'views'>): EventTarget | undefined {
  const { key } = views.events.cursor;
  return key === undefined || isFoldKey(key) ? undefined : targetOf(key);
}

function initialViews(): ConsoleState['views'] {
  const lists = VIEWS.map(({ name }) => [name, INITIAL_LIST] as const);
  return Object.fromEntries(lists) as Record<ViewName, ListState>;
}

export function isTooSmall(size: ScreenSize): boolean {
  return size.columns < SMALLEST_SCREEN.columns || size.rows < SMALLEST_SCREEN.rows;
}
