import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { run, type Run } from '../../text/theme.ts';
import { labelled } from '../handling/lines.ts';
import { whenText } from '../log/lines.ts';
import { wrapCells } from '../../text/wrap-cells.ts';
import type { Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { DeadLetterLayer, LayerData } from '../../state/layers/loaded.ts';

type Line = readonly Run[];

/** Lines of an event that are shown. */
const LINES_MAX = 5000;

/** Everything about one dead letter, and the event that the handler would have got. */
export function deadLetterLines(
  { nowMs, state }: Shown & Pick<Known, 'nowMs'>,
  { load }: DeadLetterLayer,
): readonly Line[] {
  const { data } = load;
  if (data === undefined) return [];
  const { columns } = state.size;
  const width = Math.max(10, columns - 12);
  const ago = (seconds: number): string =>
    `${whenText(seconds * 1000, nowMs)} (${formatDuration(nowMs / 1000 - seconds)} ago)`;
  return [
    ...labelled('handler', data.handler, width),
    ...labelled('event', `${data.client} / ${data.check}`, width),
    ...labelled('reason', data.reason, width, 'critical'),
    ...labelled('tries', triesText(data.attempts), width),
    ...labelled('asked for', ago(data.queued_at), width),
    ...labelled('failed', ago(data.failed_at), width),
    ...labelled('delivery', String(data.id), width),
    [run('─ the event, without secrets '.padEnd(columns, '─'), 'faint')],
    ...eventLines(data, columns - 2),
  ];
}

function triesText(attempts: number): string {
  return attempts === 0 ? 'none since the backend started' : `${String(attempts)} since the backend started`;
}

// An event may have a megabyte; it is cut into lines once for an answer, not once per frame.
const eventMemo = new WeakMap<LayerData['dead-letter'], { readonly width: number; readonly lines: readonly Line[] }>();

function eventLines(data: LayerData['dead-letter'], width: number): readonly Line[] {
  const memo = eventMemo.get(data);
  if (memo?.width === width) return memo.lines;
  const all = safeText(JSON.stringify(data.event, undefined, 2)).split('\n');
  const lines: Line[] = all
    .slice(0, LINES_MAX)
    .flatMap((text) => wrapCells(text, width))
    .map((piece) => [run(` ${piece}`)]);
  eventMemo.set(data, { width, lines });
  return lines;
}
