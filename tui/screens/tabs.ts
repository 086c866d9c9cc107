import { VIEWS, type ViewName } from '../state/view-names.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Run } from '../text/theme.ts';
import { runsWidth } from '../text/runs.ts';

/**
 * Returns the line with the tabs of the views. A view without a number has a tab only while it is shown. If the titles
 * do not fit, only the shown view has a title, and the other tabs are numbers.
 */
export function tabRuns(active: ViewName, columns: number): readonly Run[] {
  const tabs = tabbed(active);
  const drawn = (isLong: boolean): readonly Run[] =>
    tabs.map(({ number, name, title }) => {
      const numbered = number === undefined ? title : `${String(number)} ${title}`;
      if (name === active) return run(` [${numbered}] `, 'strong');
      return run(isLong ? ` ${numbered} ` : ` ${String(number)} `);
    });
  const long = drawn(true);
  return runsWidth(long) <= columns ? long : drawn(false);
}

/** Returns the view whose tab is drawn at a cell of the line of tabs; `undefined` if there is none. */
export function tabAt(active: ViewName, columns: number, cell: number): ViewName | undefined {
  let end = 0;
  const at = tabRuns(active, columns).findIndex(({ text }) => {
    end += cellWidth(text);
    return cell < end;
  });
  return tabbed(active)[at]?.name;
}

function tabbed(active: ViewName): readonly (typeof VIEWS)[number][] {
  return VIEWS.filter(({ number, name }) => number !== undefined || name === active);
}
