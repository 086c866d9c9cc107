import { writerName } from '../../../shared/domain/cluster.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { ClusterView } from '../../../shared/schemas/cluster.ts';
import type { Known } from '../../model/known.ts';
import type { Shown } from '../../state/ports.ts';
import { labelRun } from '../../text/describe.ts';
import { fitRuns, spread } from '../../text/runs.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import { countText } from '../../words/count-text.ts';

/**
 * Returns the lines above the members: the leader and since when it leads, and the location and state of the
 * database.
 */
export function summaryLines({ state, loads, nowMs }: Shown & Pick<Known, 'loads' | 'nowMs'>): readonly Line[] {
  const { columns } = state.size;
  const view = loads.of('cluster').data?.view;
  if (view === undefined) return [[], []];
  const seq = run(`last write ${countText(view.seq)} `, 'faint');
  return [spread(writerRuns(view, nowMs), [seq], columns), fitRuns(databaseRuns(view), columns)];
}

function writerRuns(view: ClusterView, nowMs: number): readonly Run[] {
  const label = labelRun('leader');
  if (view.writer === null) return [label, run('none: writes wait', 'alert')];
  const { since, epoch } = view.writer;
  return [
    label,
    run(safeLine(writerName(view) ?? ''), 'strong'),
    run(` for ${formatDuration(nowMs / 1000 - since)}, epoch ${countText(epoch)}  `),
  ];
}

function databaseRuns({ database: { kind, place, state, problem } }: ClusterView): readonly Run[] {
  const where = safeLine(place === '' ? kind : place);
  // The problem comes first, because a list of hosts may be long.
  if (state === 'away') return [labelRun('database'), run(safeLine(`away: ${problem ?? 'no response'}`), 'alert')];
  return [labelRun('database'), run('ok', 'ok'), run(`  ${where}`)];
}
