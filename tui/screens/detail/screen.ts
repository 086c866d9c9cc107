import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { summaryRuns } from '../events/pane.tsx';
import { EventRecord } from '../../model/event-record.ts';
import { run, type Line } from '../../text/theme.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';

/** The screen of one event with all its details. */
export function detailScreen(store: PagePorts, layer: DetailLayer): Page {
  const { client, check } = layer.target;
  const breadcrumb = [run(' events › ', 'faint'), run(`${safeLine(client)} / ${safeLine(check)}`, 'strong')];
  const head = [breadcrumb, [run(' '), ...summaryOf(store, layer)]];
  return textPage(store, layer, { head, right: freshness(store, layer, store.nowMs) });
}

function summaryOf(store: Pick<LiveData, 'events' | 'nowMs'>, { target, load }: DetailLayer): Line {
  const event = load.kind === 'loaded' ? load.event : undefined;
  const live = store.events.get(target.key);
  if (live !== undefined) return summaryRuns(live, event, store.nowMs);
  if (load.kind !== 'loaded' || load.row === undefined) return [run('✓ resolved', 'ok')];
  const gone = new EventRecord(target.key, load.row);
  gone.gone = true;
  return summaryRuns(gone, event, store.nowMs);
}

/** Returns a note if the loaded event is no longer current. */
function freshness(store: Pick<LiveData, 'events'>, { target, load }: DetailLayer, nowMs: number): Line {
  if (load.kind !== 'loaded') return [];
  if (load.reloading) return [run('loading … ', 'faint')];
  const row = store.events.get(target.key)?.row;
  if (row === undefined) return [run('event resolved: showing the last known state ', 'ok')];
  if (row === load.row) return [];
  return [run(`event updated ${formatDuration(nowMs / 1000 - row.last)} ago: press Enter to reload `, 'warning')];
}
