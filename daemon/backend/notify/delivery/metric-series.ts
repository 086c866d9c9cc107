import { pointsWithOrigin } from '../../../../shared/domain/metrics/event-points.ts';
import { seriesText } from '../../../../shared/domain/metrics/prometheus.ts';
import type { HandledEvent } from '../../../../shared/schemas/handler-job.ts';
import type { Clock } from '../../ports.ts';
import { DELIVERED_OUTCOME, permanentFailure, type DeliveryOutcome } from './outcome.ts';

/** Maximum number of series in all namespaces together. If it is reached, new series are rejected. */
const SERIES_MAX = 10_000;
/** Maximum length of a series name with its labels, in UTF-16 units. A series with a longer name is rejected. */
const SERIES_NAME_LENGTH_MAX = 2048;
/**
 * Time in milliseconds after which a series without an update is stale: it is no longer exposed to Prometheus. Stale
 * series are deleted when the maximum number of series is reached.
 */
const STALE_AGE_MS = 15 * 60_000;

interface SeriesValue {
  readonly value: number;
  readonly updatedAtMs: number;
}

/** The metric series of the built-in handler `prometheus`: the last value of each metric, which Prometheus scrapes. */
export class MetricSeries {
  readonly #clock: Clock;
  readonly #seriesByNamespace = new Map<string, Map<string, SeriesValue>>();
  #seriesCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stores the metrics of an event. Returns a permanent failure if a limit caused the rejection of some metrics. */
  storeMetrics(namespace: string, event: HandledEvent): DeliveryOutcome {
    const updatedAtMs = this.#clock.now();
    if (this.#seriesCount >= SERIES_MAX) this.#removeStale(updatedAtMs);
    let rejectedCount = 0;
    for (const point of pointsWithOrigin(event).points) {
      if (!this.#setValue(namespace, seriesText(point), { value: point.value, updatedAtMs })) rejectedCount++;
    }
    if (rejectedCount === 0) return DELIVERED_OUTCOME;
    return permanentFailure(
      `${String(rejectedCount)} series are too many: there are ${String(SERIES_MAX)}, or their labels are too long`,
    );
  }

  /**
   * Returns the series of a namespace in the text format of Prometheus. Series that have not been updated for 15
   * minutes are omitted.
   */
  prometheusText(namespace: string): string {
    const series = this.#seriesByNamespace.get(namespace) ?? new Map<string, SeriesValue>();
    const staleBeforeMs = this.#clock.now() - STALE_AGE_MS;
    const lines: string[] = [];
    for (const [name, { value, updatedAtMs }] of series)
      if (updatedAtMs > staleBeforeMs) lines.push(`${name} ${String(value)}\n`);
    // The Prometheus text format requires that all series of a metric are adjacent. Sorting the lines ensures that.
    return lines.toSorted().join('');
  }

  #setValue(namespace: string, name: string, series: SeriesValue): boolean {
    let namespaceSeries = this.#seriesByNamespace.get(namespace);
    const isNew = namespaceSeries?.has(name) !== true;
    if (isNew && (this.#seriesCount >= SERIES_MAX || name.length > SERIES_NAME_LENGTH_MAX)) return false;
    if (namespaceSeries === undefined) this.#seriesByNamespace.set(namespace, (namespaceSeries = new Map()));
    if (isNew) this.#seriesCount++;
    namespaceSeries.set(name, series);
    return true;
  }

  #removeStale(nowMs: number): void {
    for (const [namespace, series] of this.#seriesByNamespace) {
      for (const [name, { updatedAtMs }] of series) {
        if (updatedAtMs > nowMs - STALE_AGE_MS) continue;
        series.delete(name);
        this.#seriesCount--;
      }
      if (series.size === 0) this.#seriesByNamespace.delete(namespace);
    }
  }
}
