import { placedPoints } from '../../../../shared/domain/metrics/event-points.ts';
import { seriesText } from '../../../../shared/domain/metrics/prometheus.ts';
import type { HandledEvent } from '../../../../shared/schemas/handler-job.ts';
import type { Clock } from '../../ports.ts';
import { DELIVERED, failedForGood, type DeliveryOutcome } from './outcome.ts';

/** Maximum number of series in all namespaces together; beyond it, new series are rejected. */
const SERIES_MAX = 10_000;
/** Maximum length of a series name with its labels, in UTF-16 units; series with longer names are rejected. */
const SERIES_LENGTH_MAX = 2048;
/**
 * Age from which a series that no result updated is no longer listed. It is deleted when the limit of the number of
 * series is reached.
 */
const STALE_MS = 15 * 60_000;

interface Series {
  readonly value: number;
  readonly atMs: number;
}

/** The metric series of the built-in handler `prometheus`: the last value of each metric, for Prometheus to scrape. */
export class MetricSeries {
  readonly #clock: Clock;
  readonly #byNamespace = new Map<string, Map<string, Series>>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stores the metrics of an event. Returns a permanent failure if a limit made it reject some of them. */
  take(namespace: string, event: HandledEvent): DeliveryOutcome {
    const atMs = this.#clock.now();
    if (this.#size >= SERIES_MAX) this.#forgetStale(atMs);
    let refused = 0;
    for (const point of placedPoints(event).points) {
      if (!this.#put(namespace, seriesText(point), { value: point.value, atMs })) refused++;
    }
    if (refused === 0) return DELIVERED;
    return failedForGood(
      `${String(refused)} series are too many: there are ${String(SERIES_MAX)}, or their labels are too long`,
    );
  }

  /** Returns the series of a namespace in the text format of Prometheus, without those that are too old. */
  text(namespace: string): string {
    const series = this.#byNamespace.get(namespace) ?? new Map<string, Series>();
    const freshMs = this.#clock.now() - STALE_MS;
    const lines: string[] = [];
    for (const [name, { value, atMs }] of series) if (atMs > freshMs) lines.push(`${name} ${String(value)}\n`);
    // The format requires that the series of a metric follow each other; sorting the lines ensures that.
    return lines.toSorted().join('');
  }

  #put(namespace: string, name: string, series: Series): boolean {
    let ofNamespace = this.#byNamespace.get(namespace);
    const isNew = ofNamespace?.has(name) !== true;
    if (isNew && (this.#size >= SERIES_MAX || name.length > SERIES_LENGTH_MAX)) return false;
    if (ofNamespace === undefined) this.#byNamespace.set(namespace, (ofNamespace = new Map()));
    if (isNew) this.#size++;
    ofNamespace.set(name, series);
    return true;
  }

  #forgetStale(nowMs: number): void {
    for (const [namespace, series] of this.#byNamespace) {
      for (const [name, { atMs }] of series) {
        if (atMs > nowMs - STALE_MS) continue;
        series.delete(name);
        this.#size--;
      }
      if (series.size === 0) this.#byNamespace.delete(namespace);
    }
  }
}
