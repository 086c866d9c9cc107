import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { clockText } from '../connection/connection-text.ts';
import { spreadRuns } from '../../text/runs.ts';
import { searchRuns } from '../../form/search-line.ts';
import { countText } from '../../words/count-text.ts';
import { logEntries, logIndex, logRows, type LogEntry } from './entries.ts';
import { logRow, logWidths } from './lines.ts';
import { ruleLine, type Page, type PagePorts } from '../page.tsx';
import { paneLines, paneMatchText, textPaneOf, type TextPane } from '../text-pane.ts';
import { highlightWords } from '../../form/text-search.ts';
import { centredTop } from '../../state/screen-layout.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { LogLayer } from '../../state/layers/log.ts';

/** Returns the log screen, with the messages of the console or the audit trail. */
export function logScreen(store: PagePorts, layer: LogLayer): Page {
  const entries = logEntries(store, layer);
  const text = textPaneOf(store, layer);
  const lines = text === undefined ? listLines(store, layer, entries, logRows(store)) : paneLines(text);
  return {
    header: 'none',
    top: [spreadRuns(titleRuns(store, layer), positionRuns(entries, layer), store.state.size.columns), ...lines],
    bottom: [ruleLine(store), statusRuns(store, layer, entries, text)],
  };
}

function titleRuns({ loads }: Pick<LiveData, 'loads'>, { tab }: LogLayer): readonly Run[] {
  const tabs = [
    ['messages', 'messages of this console'],
    ['audit', 'audit trail'],
  ] as const;
  const age = loads.loadOf('log').loadedAtMs;
  return [
    run(' mon: log ', 'strong'),
    ...tabs.map(([name, title]) => (name === tab ? run(` [${title}] `, 'strong') : run(`  ${title}  `))),
    ...(tab === 'audit' && age !== undefined ? [run(` as of ${clockText(age)}`, 'faint')] : []),
  ];
}

function positionRuns(entries: readonly LogEntry[], layer: LogLayer): readonly Run[] {
  if (entries.length === 0) return [];
  return [run(` ${countText(logIndex(entries, layer) + 1)}/${countText(entries.length)} `, 'faint')];
}

function listLines(
  store: ScreenView & Pick<LiveData, 'loads' | 'nowMs'>,
  layer: LogLayer,
  entries: readonly LogEntry[],
  height: number,
): readonly Line[] {
  if (entries.length === 0) return [[], [run(`   ${emptyText(store, layer)}`)]];
  const index = logIndex(entries, layer);
  const top = centredTop(index, entries.length, height);
  const { nowMs } = store;
  const { columns } = store.state.size;
  const widths = logWidths(entries, columns);
  return entries
    .slice(top, top + height)
    .map((entry, row) =>
      highlightWords(logRow(entry, { nowMs, columns, widths, isCursor: top + row === index }), layer.search, false),
    );
}

function emptyText({ loads }: Pick<LiveData, 'loads'>, { tab, search }: LogLayer): string {
  if (search.line.text !== '') return 'Nothing matches. Esc clears the search.';
  if (tab === 'messages') return 'No messages yet.';
  const { loadedAtMs, failure } = loads.loadOf('log');
  if (loadedAtMs !== undefined) return 'No operator actions yet.';
  return failure === undefined ? 'loading …' : 'Not loaded yet.';
}

function statusRuns(
  { loads, state }: ScreenView & Pick<LiveData, 'loads'>,
  layer: LogLayer,
  entries: readonly LogEntry[],
  text: TextPane | undefined,
): Line {
  const { search, tab } = layer;
  if (search.isOpen || search.line.text !== '') {
    const matchText = text === undefined ? entryText(entries, layer) : paneMatchText(text);
    return searchRuns(search, matchText, state.size.columns);
  }
  const { failure } = loads.loadOf('log');
  if (tab === 'audit' && failure !== undefined) return [run(` not loaded: ${safeLine(failure)}`, 'warning')];
  return state.message === undefined ? [] : [run(` ${safeLine(state.message.text)}`)];
}

function entryText(entries: readonly LogEntry[], layer: LogLayer): string {
  if (entries.length === 0) return 'no match';
  return `${countText(logIndex(entries, layer) + 1)} of ${countText(entries.length)}`;
}
