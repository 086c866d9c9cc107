import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { summaryRuns } from '../events/pane.tsx';
import { EventRecord } from '../../model/event-record.ts';
import { run, type Line } from '../../text/theme.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';

/** Returns the screen of one event with all its details. */
export function detailScreen(store: PagePorts, layer: DetailLayer): Page {
  const { client, check } = layer.target;
  const breadcrumb = [run(' events › ', 'faint'), run(`${safeLine(client)} / ${safeLine(check)}`, 'strong')];
  const head = [breadcrumb, [run(' '), ...summaryOf(store, layer)]];
  return textPage(store, layer, { head, right: freshness(store, layer) });
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
function freshness(store: Pick<LiveData, 'events'>, { target, load, row: lastRow }: DetailLayer): Line {
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
