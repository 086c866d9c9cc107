import { formatDuration } from '../../../shared/domain/duration.ts';
import { run, type Line } from '../../text/theme.ts';
import { deadLetterSubject } from '../../words/dead-letter-text.ts';
import { whenText } from '../log/lines.ts';
import { boundedLines, descriptionLines, RowCache, textRows, type Description } from '../../text/describe.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { DeadLetterLayer, LayerData } from '../../state/layers/loaded.ts';

/** Returns the lines of the screen of a dead letter, with the event that its handler should have received. */
export function deadLetterLines(
  { nowMs, state }: ScreenView & Pick<LiveData, 'nowMs'>,
  { load: { data } }: DeadLetterLayer,
): readonly Line[] {
  if (data === undefined) return [];
  const { columns } = state.size;
  const ago = (seconds: number): string =>
    `${whenText(seconds * 1000, nowMs)} (${formatDuration(nowMs / 1000 - seconds)} ago)`;
  const all: readonly Description[] = [
    { label: 'handler', text: data.handler },
    { label: data.group === undefined ? 'event' : 'group', text: deadLetterSubject(data) },
    { label: 'reason', text: data.reason, tone: 'critical' },
    { label: 'tries', text: triesText(data.attempts) },
    { label: 'queued', text: ago(data.queued_at) },
    { label: 'failed', text: ago(data.failed_at) },
    { label: 'delivery', text: String(data.id) },
  ];
  return [
    ...descriptionLines(all, { width: columns - 1 }),
    [run(`─ ${data.group === undefined ? 'event' : 'events'}, secrets redacted `.padEnd(columns, '─'), 'faint')],
    ...eventRows.rowsOf(data, String(columns), () =>
      textRows(boundedLines(JSON.stringify(data.events ?? data.event, undefined, 2)), { width: columns - 1 }),
    ),
  ];
}

const eventRows = new RowCache<LayerData['dead-letter']>();

function triesText(attempts: number): string {
  return attempts === 0 ? 'none since the backend started' : `${String(attempts)} since the backend started`;
}
