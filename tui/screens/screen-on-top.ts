import type { FullLayer } from '../state/layers/layer.ts';
import type { ViewName } from '../state/view-names.ts';
import { detailScreen } from './detail/screen.ts';
import { loadedScreen } from './handling/screen.ts';
import { helpScreen } from './help/screen.ts';
import { incidentScreen } from './incident/screen.ts';
import { inspectScreen } from './inspect/screen.ts';
import { logScreen } from './log/screen.ts';
import { overviewScreen } from './overview/screen.ts';
import type { Page, PagePorts } from './page.tsx';
import { planPageScreen } from './plans/page-screen.ts';
import { upgradeScreen } from './plans/screen.ts';
import { reportScreen } from './report/screen.ts';
import { seriesScreen } from './series/screen.ts';
import { silenceEntryScreen } from './silences/entry-screen.ts';
import { timelineSearchScreen, timelineScreen } from './timeline/screen.ts';

/** Returns the page of a layer that fills the screen, such as the help or the log. */
export function layerPage(store: PagePorts, layer: FullLayer): Page {
  switch (layer.kind) {
    case 'detail':
      return detailScreen(store, layer);
    case 'inspect':
      return inspectScreen(store, layer);
    case 'handling':
    case 'dead-letter':
    case 'member':
    case 'schedule':
      return loadedScreen(store, layer);
    case 'report':
      return reportScreen(store, layer);
    case 'timeline':
      return timelineScreen(store, layer);
    case 'timeline-search':
      return timelineSearchScreen(store, layer);
    case 'incident':
      return incidentScreen(store, layer);
    case 'series':
      return seriesScreen(store, layer);
    case 'silence-entry':
      return silenceEntryScreen(store, layer);
    case 'plan-page':
      return planPageScreen(store, layer);
    case 'help':
      return helpScreen(store, layer);
    case 'log':
      return logScreen(store, layer);
  }
}

/** The functions that build the pages of the views that are not lists. */
export const VIEW_PAGES: Partial<Readonly<Record<ViewName, (store: PagePorts) => Page>>> = {
  overview: overviewScreen,
  upgrade: upgradeScreen,
};
