import { reportMarkdown } from '../../../shared/domain/report/markdown.ts';
import { parseDuration, DURATION_HINT } from '../../../shared/domain/duration.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { keyOf } from '../../state/keys.ts';
import type { ReportLayer } from '../../state/layers/loaded.ts';
import type { Asks, Says, Screen } from '../../state/ports.ts';
import { spread } from '../../text/runs.ts';
import { run, type Line } from '../../text/theme.ts';
import { asOfLine, notLoadedLines } from '../freshness.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';

/** A shift, where nothing else is said. */
const SPAN = '12h';

/** @returns what is wrong with the span, and what is allowed */
export function openReport(store: Screen, span = ''): string | undefined {
  const seconds = parseDuration(span === '' ? SPAN : span);
  if (seconds === undefined || seconds === 0) return `${JSON.stringify(span)} is not a duration: ${DURATION_HINT}`;
  openLoadedLayer(store, 'report', span === '' ? SPAN : span);
  return undefined;
}

/** What there is to hand over. */
export function reportScreen(store: PagePorts, layer: ReportLayer): Page {
  const place: Line = [run(' report › ', 'faint'), run(`last ${layer.id}`, 'strong')];
  const head = [spread(place, asOfLine(layer.load), store.state.size.columns)];
  const right: Line = [run(`${keyOf('copy')} copies it as Markdown `, 'faint')];
  return textPage(
    store,
    layer,
    layer.load.data === undefined ? { head, instead: notLoadedLines(layer.load) } : { head, right },
  );
}

export function copyReport(store: Says & Asks, { load: { data } }: ReportLayer): void {
  if (data === undefined) return store.say('the report is not loaded yet');
  store.request({ kind: 'copy', label: 'report', text: reportMarkdown(data) });
}
