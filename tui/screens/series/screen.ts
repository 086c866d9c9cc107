import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { targetOf } from '../../model/target.ts';
import type { SeriesLayer } from '../../state/layers/loaded.ts';
import { spreadRuns } from '../../text/runs.ts';
import { run, type Line } from '../../text/theme.ts';
import { asOfLine, notLoadedLines } from '../freshness.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';

/** Returns the screen with the duration and the metrics of a check over time. */
export function seriesScreen(store: PagePorts, layer: SeriesLayer): Page {
  const { client, check } = targetOf(layer.id);
  const breadcrumb: Line = [run(' values › ', 'faint'), run(safeLine(`${client} / ${check}`), 'strong')];
  const head = [spreadRuns(breadcrumb, asOfLine(layer.load), store.state.size.columns)];
  return textPage(
    store,
    layer,
    layer.load.data === undefined ? { head, instead: notLoadedLines(layer.load) } : { head },
  );
}
