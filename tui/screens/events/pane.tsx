import type { ReactElement } from 'react';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { recoveryWords } from '../../../shared/domain/recovery.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { ConsoleState } from '../../state/console-state.ts';
import { listLayout } from '../../state/screen-layout.ts';
import { eventParts, silenceText } from '../detail/lines.ts';
import type { EventRecord } from '../../model/event-record.ts';
import { RECOVERING_SYMBOL, run, STATUS, type Line, type Run, type Theme } from '../../text/theme.ts';
import { Rows } from '../../text/rows.tsx';
import { fitRuns } from '../../text/runs.ts';

export interface EventPaneProps {
  readonly theme: Theme;
  readonly columns: number;
  /** Rows of the pane including the rule at its top. */
  readonly rows: number;
  readonly record: EventRecord | undefined;
  readonly peek: ConsoleState['peek'];
  readonly silences: readonly SilencedRow[];
  readonly nowMs: number;
}

/** Renders the pane below the list, which shows the event under the cursor. */
export function PaneUnderCursor({
  theme,
  store,
}: {
  readonly theme: Theme;
  readonly store: ScreenView & LiveData & ListOfView;
}): ReactElement {
  const { state, list, events, nowMs, silenced } = store;
  const record = events.order.at(list.cursor.index);
  return (
    <EventPane
      theme={theme}
      columns={state.size.columns}
      rows={listLayout(state).pane}
      record={record}
      peek={state.peek}
      silences={record?.row.silenced_by.flatMap((id) => silenced.get(id) ?? []) ?? []}
      nowMs={nowMs}
    />
  );
}

function EventPane({ theme, columns, rows, record, peek, silences, nowMs }: EventPaneProps): ReactElement {
  const lines: Line[] = [[run('─ detail '.padEnd(columns, '─'), 'faint')]];
  if (record !== undefined) {
    const { row } = record;
    const load = peek?.target.key === record.key ? peek.load : undefined;
    const event = load?.kind === 'loaded' ? load.event : undefined;
    const name = run(` ${safeLine(row.client)} / ${safeLine(row.check)}   `, 'strong');
    lines.push(fitRuns([name, ...summaryRuns(record, event, nowMs)], columns));
    const silenced = silences.map((entry) => [run(' silence  ', 'faint'), run(silenceText(entry, nowMs))]);
    const parts: readonly Line[] =
      event === undefined
        ? [[run(' output   ', 'faint'), run(safeLine(row.output))]]
        : eventParts(event, columns - 1, false);
    lines.push(...parts.slice(0, rows - lines.length - silenced.length), ...silenced);
  }
  return <Rows theme={theme} lines={lines} height={rows} />;
}

/** Returns a summary such as `✗ CRIT for 3m (41 in a row)   interval 30s   handlers: pagerduty`. */
export function summaryRuns(record: EventRecord, event: Event | undefined, nowMs: number): readonly Run[] {
  const { row, isRemoved: gone } = record;
  const { symbol, word, tone } = STATUS[severityOf(row.status)];
  const interval = event?.check['interval'];
  const handlers = event === undefined ? [] : handlersOf(event);
  return [
    ...(gone
      ? resolvedRuns(record, nowMs)
      : [run(`${symbol} ${word}`, tone), run(` for ${formatDuration(nowMs / 1000 - row.since)}`)]),
    run(` (${String(row.occurrences)} in a row)`),
    ...(row.action === 'flapping' ? [run('  ~ flapping', 'flapping')] : []),
    ...(row.recovering === undefined || gone
      ? []
      : [run(`  ${RECOVERING_SYMBOL} recovering, ${recoveryWords(row.recovering)}`, 'ok')]),
    ...(typeof interval === 'number' ? [run(`  interval ${formatDuration(interval)}`)] : []),
    run(handlers.length === 0 ? ' ' : `  handlers: ${safeLine(handlers.join(', '))} `),
  ];
}

/**
 * Returns text such as `✓ resolved 2s ago, after 22m29s`. The times are omitted if the console did not record when the
 * event resolved.
 */
function resolvedRuns({ row, changedAtMs }: EventRecord, nowMs: number): readonly Run[] {
  if (changedAtMs === 0) return [run('✓ resolved', 'ok')];
  const ago = formatDuration((nowMs - changedAtMs) / 1000);
  return [run(`✓ resolved ${ago} ago`, 'ok'), run(`, after ${formatDuration(changedAtMs / 1000 - row.since)}`)];
}

function handlersOf({ check }: Event): readonly string[] {
  const { handlers, handler } = check;
  if (Array.isArray(handlers)) return handlers.filter((name) => typeof name === 'string');
  return typeof handler === 'string' ? [handler] : [];
}
