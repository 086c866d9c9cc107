import { placedPoints } from '../../../shared/domain/metrics/event-points.ts';
import { seriesText } from '../../../shared/domain/metrics/prometheus.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import type { Clock } from '../ports.ts';
import { DELIVERED, failedForGood, type DeliveryOutcome } from './outcome.ts';

/** Series of all namespaces together: what is beyond them is refused. */
const SERIES_MAX = 10_000;
/** Longest name of a series, with its labels. */
const SERIES_LENGTH_MAX = 2048;
/** A series that no result has brought again for so long is gone. */
const STALE_MS = 15 * 60_000;

interface Series {
  readonly value: number;
  readonly atMs: number;
}

/** What results have measured last, for a Prometheus that asks for it: the built-in handler `prometheus`. */
export class MetricSeries {
  readonly #clock: Clock;
  readonly #byNamespace = new Map<string, Map<string, Series>>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the metrics of an event. */
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

  /** The series of a namespace, in the text format of Prometheus. */
  text(namespace: string): string {
    const series = this.#byNamespace.get(namespace) ?? new Map<string, Series>();
    const freshMs = this.#clock.now() - STALE_MS;
    const lines: string[] = [];
    for (const [name, { value, atMs }] of series) if (atMs > freshMs) lines.push(`${name} ${String(value)}\n`);
    // All series of a metric stand together.
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
