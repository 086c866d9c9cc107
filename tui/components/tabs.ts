import { VIEWS, type ViewName } from '../store/views/view-names.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Run } from '../theme.ts';
import { runsWidth } from './runs.ts';

/** The views by number. Where they do not all fit, those that are not shown are numbers. */
export function tabRuns(active: ViewName, columns: number): readonly Run[] {
  const tabs = (isLong: boolean): readonly Run[] =>
    VIEWS.map(({ number, name, title }) => {
      if (name === active) return run(` [${String(number)} ${title}] `, 'strong');
      return run(isLong ? ` ${String(number)} ${title} ` : ` ${String(number)} `);
    });
  const long = tabs(true);
  return runsWidth(long) <= columns ? long : tabs(false);
}

/** The view whose tab is drawn at a cell of the row; `undefined`: none. */
export function tabAt(active: ViewName, columns: number, cell: number): ViewName | undefined {
  let end = 0;
  const at = tabRuns(active, columns).findIndex(({ text }) => {
    end += cellWidth(text);
    return cell < end;
  });
  return VIEWS[at]?.name;
}
