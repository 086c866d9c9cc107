import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { targetOf } from '../../model/target.ts';
import { parseTimelineId } from '../../model/past-span.ts';
import type { TimelineSearchLayer, TimelineLayer } from '../../state/layers/loaded.ts';
import { spreadRuns } from '../../text/runs.ts';
import { run, type Line } from '../../text/theme.ts';
import { asOfLine, notLoadedLines } from '../freshness.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';
import { timelineHead } from './lines.ts';

/** Returns the screen of a check's timeline: a bar with the state at each time, and the transitions below. */
export function timelineScreen(store: PagePorts, layer: TimelineLayer): Page {
  const { client, check } = targetOf(parseTimelineId(layer.id).key);
  const breadcrumb: Line = [run(' timeline › ', 'faint'), run(safeLine(`${client} / ${check}`), 'strong')];
  const head = [spreadRuns(breadcrumb, asOfLine(layer.load), store.state.size.columns), ...timelineHead(store, layer)];
  return textPage(
    store,
    layer,
    layer.load.data === undefined ? { head, instead: notLoadedLines(layer.load) } : { head },
  );
}

/** Returns the screen with the transitions that match a search in the timeline. */
export function timelineSearchScreen(store: PagePorts, layer: TimelineSearchLayer): Page {
  const breadcrumb: Line = [
    run(' timeline › ', 'faint'),
    run(layer.id === '' ? 'everything' : safeLine(layer.id), 'strong'),
  ];
  const head = [spreadRuns(breadcrumb, asOfLine(layer.load), store.state.size.columns)];
  return textPage(
    store,
    layer,
    layer.load.data === undefined ? { head, instead: notLoadedLines(layer.load) } : { head },
  );
}
