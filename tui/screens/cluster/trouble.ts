import { clusterTroubles, type ClusterTrouble } from '../../../shared/domain/cluster.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { LiveData } from '../../model/live-data.ts';
import { cellWidth } from '../../terminal/cells.ts';
import { run, type Run, type Tone } from '../../text/theme.ts';

const TROUBLE_TONES: Readonly<Record<ClusterTrouble['kind'], Tone>> = {
  unavailable: 'alert',
  'no-leader': 'alert',
  lagging: 'warning',
  unproved: 'alert',
};

/** Short texts of cluster problems, for a header in which the full text does not fit. */
const SHORT_TEXTS: Readonly<Record<ClusterTrouble['kind'], string>> = {
  unavailable: 'database down',
  'no-leader': 'no leader',
  lagging: 'lagging',
  unproved: 'member not trusted',
};

/**
 * Returns the worst problem of the cluster that the shown backend belongs to; `undefined` if the cluster has no problem
 * or the backend is not part of a cluster.
 */
export function shownTrouble({ feed, loads }: Pick<LiveData, 'feed' | 'loads'>): ClusterTrouble | undefined {
  const { data } = loads.loadOf('cluster');
  // After the connection is lost, the last known state of the cluster may be outdated.
  if (!feed.isShared || data === undefined || feed.lostAtMs !== undefined) return undefined;
  return clusterTroubles(data.view)[0];
}

/** Returns the text of the problem. If it does not fit in `width` cells, returns a short text. */
export function troubleRuns(trouble: ClusterTrouble | undefined, width: number): readonly Run[] {
  if (trouble === undefined) return [];
  const { kind, text } = trouble;
  const fullText = safeLine(text);
  return [run('  '), run(cellWidth(fullText) + 2 <= width ? fullText : SHORT_TEXTS[kind], TROUBLE_TONES[kind])];
}
