import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { asOfLine, notLoadedLines } from '../freshness.ts';
import { run, type Line } from '../../text/theme.ts';
import { spreadRuns } from '../../text/runs.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';
import { targetOf } from '../../model/target.ts';
import type { DeadLetterLayer, HandlingLayer, MemberLayer, OnCallScheduleLayer } from '../../state/layers/loaded.ts';

/** Returns the screen of a dead letter, of a cluster member, of a schedule, or of how handlers handle an event. */
export function loadedScreen(
  store: PagePorts,
  layer: DeadLetterLayer | HandlingLayer | MemberLayer | OnCallScheduleLayer,
): Page {
  const { load, search } = layer;
  const head = [spreadRuns(breadcrumbRuns(layer), asOfLine(load), store.state.size.columns)];
  const page = textPage(store, layer, load.data === undefined ? { head, instead: notLoadedLines(load) } : { head });
  const hasStatusText = store.state.message !== undefined || search.isOpen || search.line.text !== '';
  if (load.data === undefined || load.failure === undefined || hasStatusText) return page;
  return { ...page, bottom: [[run(` reload failed: ${safeLine(load.failure)}`, 'warning')]] };
}

function breadcrumbRuns({ kind, id, load }: DeadLetterLayer | HandlingLayer | MemberLayer | OnCallScheduleLayer): Line {
  if (kind === 'member') return [run(' cluster › ', 'faint'), run(safeLine(load.data?.name ?? id), 'strong')];
  if (kind === 'schedule') return [run(' on call › ', 'faint'), run(safeLine(id), 'strong')];
  if (kind === 'dead-letter') return [run(' dead letters › ', 'faint'), run(safeLine(id), 'strong')];
  const { client, check } = targetOf(id);
  return [run(' handlers › ', 'faint'), run(safeLine(`${client} / ${check}`), 'strong')];
}
