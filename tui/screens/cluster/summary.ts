import { leaderName } from '../../../shared/domain/cluster.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { ClusterView } from '../../../shared/schemas/cluster.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';
import { labelRun } from '../../text/describe.ts';
import { fitRuns, spreadRuns } from '../../text/runs.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import { countText } from '../../words/count-text.ts';

/**
 * Returns the two lines above the list of members: the leader and since when it leads, and the state and location of
 * the database.
 */
export function summaryLines({ state, loads, nowMs }: ScreenView & Pick<LiveData, 'loads' | 'nowMs'>): readonly Line[] {
  const { columns } = state.size;
  const view = loads.loadOf('cluster').data?.view;
  if (view === undefined) return [[], []];
  const seq = run(`last write ${countText(view.seq)} `, 'faint');
  return [spreadRuns(leaderRuns(view, nowMs), [seq], columns), fitRuns(databaseRuns(view), columns)];
}

function leaderRuns(view: ClusterView, nowMs: number): readonly Run[] {
  const label = labelRun('leader');
  if (view.leader === null) return [label, run('none; writes wait until there is a leader', 'alert')];
  const { since, epoch } = view.leader;
  return [
    label,
    run(safeLine(leaderName(view) ?? ''), 'strong'),
    run(` for ${formatDuration(nowMs / 1000 - since)}, leader epoch ${countText(epoch)}  `),
  ];
}

function databaseRuns({ database: { kind, location, state, problem } }: ClusterView): readonly Run[] {
  const where = safeLine(location === '' ? kind : location);
  // The problem replaces the location, because a list of hosts may be long.
  if (state === 'unavailable')
    return [labelRun('database'), run(safeLine(`unavailable: ${problem ?? 'no response'}`), 'alert')];
  return [labelRun('database'), run('ok', 'ok'), run(`  ${where}`)];
}
