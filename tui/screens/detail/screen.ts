import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { highlightWords } from '../../form/text-search.ts';
import { summaryRuns } from '../events/pane.tsx';
import { EventRecord } from '../../model/event-record.ts';
import { joinColumns, PANEL_BORDER, panelLines } from '../../text/panel.ts';
import { run, type Line } from '../../text/theme.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage, textStatus } from '../text-page.ts';
import { textPaneOf } from '../text-pane.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';
import { countText } from '../../words/count-text.ts';
import { focusedPanel, layOutDetail, type PlacedPanel } from './layout.ts';

/** Returns the screen of one event with all its details. */
export function detailScreen(store: PagePorts, layer: DetailLayer): Page {
  const { client, check } = layer.target;
  const breadcrumb = [run(' events › ', 'faint'), run(`${safeLine(client)} / ${safeLine(check)}`, 'strong')];
  const head = [breadcrumb, [run(' '), ...summaryOf(store, layer)]];
  const right = freshnessLine(store, layer);
  const layout = layOutDetail(store, layer);
  if (layout.kind === 'text') return textPage(store, layer, { head, right });
  const focused = focusedPanel(layout, layer);
  const columns = layout.columns.map((panels) =>
    panels.flatMap((panel) => boxLines(panel, layer, panel.id === focused)),
  );
  return {
    header: 'short',
    top: [...head, ...joinColumns(columns)],
    bottom: [textStatus(store, textPaneOf(store, layer), right)],
  };
}

/** Returns the rows of a panel with its visible lines. Matches of the search are highlighted in the focused panel. */
function boxLines(panel: PlacedPanel, { search }: DetailLayer, isFocused: boolean): readonly Line[] {
  const { title, lines, top, rows } = panel;
  const shown = lines.slice(top, top + rows - PANEL_BORDER.rows);
  const position = `${countText(top + 1)}-${countText(top + shown.length)} of ${countText(lines.length)}`;
  return panelLines(
    {
      title,
      note: shown.length < lines.length ? position : '',
      lines: isFocused ? shown.map((line, row) => highlightWords(line, search, top + row === search.at)) : shown,
      isFocused,
    },
    panel,
  );
}

function summaryOf(store: Pick<LiveData, 'events' | 'nowMs'>, { target, load, row, resolvedAtMs }: DetailLayer): Line {
  const event = load.kind === 'loaded' ? load.event : undefined;
  const live = store.events.get(target.key);
  if (live !== undefined) return summaryRuns(live, event, store.nowMs);
  if (row === undefined) return [run('✓ resolved', 'ok')];
  const gone = new EventRecord(target.key, row);
  gone.isRemoved = true;
  gone.changedAtMs = resolvedAtMs ?? 0;
  return summaryRuns(gone, event, store.nowMs);
}

/** Returns a note if the shown data is not the current state of the event; empty if it is. */
function freshnessLine(store: Pick<LiveData, 'events'>, { target, load, row: lastRow }: DetailLayer): Line {
  if (load.kind !== 'loaded') return [];
  const row = store.events.get(target.key)?.row;
  if (row !== undefined) {
    if (load.failure !== undefined) return [run(`cannot update: ${safeLine(load.failure)} `, 'critical')];
    return row === load.row && !load.reloading ? [] : [run('updating … ', 'faint')];
  }
  return load.row === lastRow
    ? [run('event resolved: showing its last state ', 'ok')]
    : [run('event resolved: showing an earlier state ', 'warning')];
}
