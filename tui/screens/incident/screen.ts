import { parseIncidentId } from '../../model/incident-id.ts';
import type { IncidentLayer } from '../../state/layers/loaded.ts';
import { spreadRuns } from '../../text/runs.ts';
import { run, type Line } from '../../text/theme.ts';
import { countOf } from '../../words/changes.ts';
import { asOfLine, notLoadedLines } from '../freshness.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';
import { incidentHead } from './lines.ts';

/** Returns the screen of an incident: its events as bars on one time axis, with the shown moment as a cursor. */
export function incidentScreen(store: PagePorts, layer: IncidentLayer): Page {
  const count = parseIncidentId(layer.id).keys.length;
  const breadcrumb: Line = [run(' incident › ', 'faint'), run(countOf(count, 'event'), 'strong')];
  const head = [spreadRuns(breadcrumb, asOfLine(layer.load), store.state.size.columns), ...incidentHead(store, layer)];
  return textPage(
    store,
    layer,
    layer.load.data === undefined ? { head, instead: notLoadedLines(layer.load) } : { head },
  );
}
