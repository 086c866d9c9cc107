import { shownMinute } from '../../words/shown-time.ts';
import { reportMarkdown } from '../../../shared/domain/report/markdown.ts';
import { parseDuration, DURATION_HINT } from '../../../shared/schemas/parse-duration.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { keyOf } from '../../state/keys.ts';
import type { ReportLayer } from '../../state/layers/loaded.ts';
import type { Screen } from '../../state/ports.ts';
import { spreadRuns } from '../../text/runs.ts';
import { run, type Line } from '../../text/theme.ts';
import { asOfLine, notLoadedLines } from '../freshness.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';

/** The time span that a report covers by default: one shift. */
const DEFAULT_SPAN = '12h';

/**
 * Opens the report of the last `span`, such as `12h`.
 *
 * @returns a message about an invalid time span, with the allowed format; `undefined` if the span is valid
 */
export function openReport(store: Screen, span = ''): string | undefined {
  const seconds = parseDuration(span === '' ? DEFAULT_SPAN : span);
  if (seconds === undefined || seconds === 0) return `${JSON.stringify(span)} is not a duration: ${DURATION_HINT}`;
  openLoadedLayer(store, 'report', span === '' ? DEFAULT_SPAN : span);
  return undefined;
}

/** Returns the screen of the shift report. */
export function reportScreen(store: PagePorts, layer: ReportLayer): Page {
  const breadcrumb: Line = [run(' report › ', 'faint'), run(`last ${layer.id}`, 'strong')];
  const head = [spreadRuns(breadcrumb, asOfLine(layer.load), store.state.size.columns)];
  const right: Line = [run(`${keyOf('copy')} copies the report as Markdown `, 'faint')];
  return textPage(
    store,
    layer,
    layer.load.data === undefined ? { head, instead: notLoadedLines(layer.load) } : { head, right },
  );
}

export function copyReport(store: Screen, { load: { data } }: ReportLayer): void {
  if (data === undefined) return store.say('the report is not loaded yet');
  store.request({ kind: 'copy', label: 'report', text: reportMarkdown(data, shownMinute) });
}
