import { CheckSeries, hasSample, type SeriesSample } from '../../../../shared/domain/check-series.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { chunkKey, SERIES } from './storage.ts';

/**
 * Records the duration and the metrics of a reported result in the series of its check (spec, series 3). The series is
 * written only if the result begins it or ends a step, in the same commit as the result. The current step is only in
 * memory, so it is lost if the backend stops.
 */
export function recordSample(transaction: Transaction, entry: CheckEntry, sample: SeriesSample): void {
  if (!transaction.registry.seriesLimits.enabled) return;
  const series = entry.series ?? openSeries(transaction, entry, sample);
  const ended = series?.add(sample, transaction.now);
  if (ended === undefined) return;
  const { namespace } = entry.client;
  transaction.putLatest(SERIES, namespace, entry);
  if (ended.chunk !== undefined) transaction.write(chunkKey(entry, ended.chunk.slot), ended.chunk.text);
}

/** Returns a new series, unless the result has nothing to record or the number of series has reached its limit. */
function openSeries(transaction: Transaction, entry: CheckEntry, sample: SeriesSample): CheckSeries | undefined {
  const { registry, memory } = transaction;
  if (registry.seriesCount >= registry.seriesLimits.checks || memory.isFull || !hasSample(sample)) return undefined;
  const { client, name } = entry;
  const series = CheckSeries.empty(client.name, name);
  client.namespace.setSeries(entry, series);
  // Stored at once, so that followers count it too.
  transaction.putLatest(SERIES, client.namespace, entry);
  return series;
}

/** Removes the series of a check, if it has one. */
export function removeSeries(transaction: Transaction, entry: CheckEntry): void {
  const { client, series } = entry;
  if (series === undefined) return;
  for (const slot of series.slots) transaction.erase(chunkKey(entry, slot));
  transaction.erase(SERIES.key(client.namespace, entry));
  client.namespace.setSeries(entry, undefined);
}
