import { clusterTroubles, type ClusterTrouble } from '../../../shared/domain/cluster.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { Known } from '../../model/known.ts';
import { cellWidth } from '../../terminal/cells.ts';
import { run, type Run, type Tone } from '../../text/theme.ts';

const TONES: Readonly<Record<ClusterTrouble['kind'], Tone>> = {
  unavailable: 'alert',
  'no-leader': 'alert',
  lagging: 'warning',
  unproved: 'alert',
};

/** For a header of one row that has no room for more. */
const SHORT: Readonly<Record<ClusterTrouble['kind'], string>> = {
  unavailable: 'database away',
  'no-leader': 'no leader',
  lagging: 'lagging',
  unproved: 'member not believed',
};

/** The worst that is wrong with the backend that is shown; undefined: nothing, or it shares its store with nobody. */
export function shownTrouble({ feed, loads }: Pick<Known, 'feed' | 'loads'>): ClusterTrouble | undefined {
  const { data } = loads.of('cluster');
  // What it was while it was connected, nobody knows now.
  if (!feed.isShared || data === undefined || feed.lostAtMs !== undefined) return undefined;
  return clusterTroubles(data.view)[0];
}

/** The trouble in so many cells at most; in fewer words where there is no room for all. */
export function troubleRuns(trouble: ClusterTrouble | undefined, room: number): readonly Run[] {
  if (trouble === undefined) return [];
  const { kind, text } = trouble;
  const whole = safeLine(text);
  return [run('  '), run(cellWidth(whole) + 2 <= room ? whole : SHORT[kind], TONES[kind])];
}
