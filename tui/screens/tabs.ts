import { safeLine } from '../../shared/domain/terminal-text.ts';
import { VIEWS, type ViewName } from '../state/view-names.ts';
import { countText } from '../words/count-text.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Run } from '../text/theme.ts';
import { runsWidth } from '../text/runs.ts';

/** The tab of a saved view. */
export interface SavedTab {
  readonly key: string;
  readonly name: string;
  /** Number of rows that match the view; `undefined` if they have not been counted. */
  readonly count: number | undefined;
  /** True if the view is shown with its filter. */
  readonly isShown: boolean;
}

/** The tabs of the header: the shown view, and the tabs of saved views. */
export interface TabState {
  readonly view: ViewName;
  readonly saved?: readonly SavedTab[];
}

type ViewTab = { readonly view: ViewName } | { readonly saved: string };

/** A tab with the texts of its three lengths, the longest first. */
interface DrawnTab {
  readonly tab: ViewTab;
  readonly texts: readonly [string, string, string];
  readonly isShown: boolean;
}

/**
 * Returns the line with the tabs of the views and of the saved views. A view without a number has a tab only while it
 * is shown. If the titles do not fit, only the shown view has a title, and the other views are numbers. If the saved
 * views then still do not fit, they are keys with counts.
 */
export function tabRuns(state: TabState, columns: number): readonly Run[] {
  return fittingTabs(state, columns).map(({ text, isShown }) => run(text, isShown ? 'strong' : 'plain'));
}

/** Returns the view or saved view whose tab is drawn at a cell of the line of tabs; `undefined` if there is none. */
export function tabAt(state: TabState, columns: number, cell: number): ViewTab | undefined {
  let end = 0;
  return fittingTabs(state, columns).find(({ text }) => {
    end += cellWidth(text);
    return cell < end;
  })?.tab;
}

interface FittingTab {
  readonly tab: ViewTab;
  readonly text: string;
  readonly isShown: boolean;
}

function fittingTabs(state: TabState, columns: number): readonly FittingTab[] {
  const tabs = [...viewTabs(state), ...savedTabs(state)];
  const ofLength = (length: 0 | 1 | 2): readonly FittingTab[] =>
    tabs.map(({ tab, texts, isShown }) => ({
      tab,
      isShown,
      text: isShown ? ` [${texts[0]}] ` : ` ${texts[length]} `,
    }));
  const fits = (drawn: readonly FittingTab[]): boolean => runsWidth(drawn.map(({ text }) => run(text))) <= columns;
  const [long, middle] = [ofLength(0), ofLength(1)];
  return fits(long) ? long : fits(middle) ? middle : ofLength(2);
}

function viewTabs({ view, saved = [] }: TabState): readonly DrawnTab[] {
  const isSavedShown = saved.some(({ isShown }) => isShown);
  return VIEWS.filter(({ number, name }) => number !== undefined || name === view).map(({ number, name, title }) => {
    const short = number === undefined ? title : String(number);
    const long = number === undefined ? title : `${short} ${title}`;
    return { tab: { view: name }, texts: [long, short, short], isShown: name === view && !isSavedShown };
  });
}

function savedTabs({ saved = [] }: TabState): readonly DrawnTab[] {
  return saved.map(({ key, name, count, isShown }) => {
    const number = count === undefined ? '' : ` ${countText(count)}`;
    const long = `${key} ${safeLine(name)}${number}`;
    return { tab: { saved: name }, texts: [long, long, `${key}${number}`], isShown };
  });
}
