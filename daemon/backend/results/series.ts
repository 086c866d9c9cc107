import { SERIES_POINTS_MAX, SERIES_STEP_SECONDS, shownSeries } from '../../../shared/domain/check-series.ts';
import type { SeriesResponse, SeriesRecorded } from '../../../shared/schemas/series.ts';
import type { ReadStore } from '../ports.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { chunkKey } from '../model/results/storage.ts';

const SPAN_MS = SERIES_POINTS_MAX * SERIES_STEP_SECONDS * 1000;

/**
 * Reads the series of a check. Only the leader knows the current step, so the newest point of a follower can be five
 * minutes older.
 */
export async function readSeries(
  store: Pick<ReadStore, 'getMany'>,
  entry: CheckEntry,
  registry: Pick<Registry, 'seriesCount' | 'seriesLimits'>,
  nowMs: number,
): Promise<SeriesResponse> {
  const frame = { since: nowMs - SPAN_MS, until: nowMs, step: SERIES_STEP_SECONDS };
  const { series } = entry;
  if (series === undefined) return { ...frame, recorded: missingSeriesReason(registry), metrics: [], points: [] };
  // Encoded before the chunks are read, so that a point that becomes part of a chunk meanwhile is not missing.
  const [text, current] = [series.encode(), series.currentPoint];
  const stored = await store.getMany(series.slots.map((slot) => chunkKey(entry, slot)));
  const chunks = stored.filter((chunk) => chunk !== undefined);
  const { metrics, points } = shownSeries({ text, chunks, current }, Math.floor(nowMs / 1000));
  return {
    ...frame,
    recorded: registry.seriesLimits.enabled ? 'yes' : 'disabled',
    metrics,
    points: points.map(({ at, duration, values }) => ({ at: at * 1000, duration, values })),
  };
}

function missingSeriesReason({
  seriesCount,
  seriesLimits,
}: Pick<Registry, 'seriesCount' | 'seriesLimits'>): SeriesRecorded {
  if (!seriesLimits.enabled) return 'disabled';
  return seriesCount >= seriesLimits.checks ? 'limit' : 'no_data';
}
