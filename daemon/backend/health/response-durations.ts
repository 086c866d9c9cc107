/** The attributes of a completed API request that the metrics need. */
export interface CompletedRequest {
  readonly method: string;
  /** The path pattern of the route instead of the path, so that names in paths create no series. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

interface DurationSeries {
  /** The number of responses in each bucket. The last bucket counts the responses above all bounds. */
  readonly counts: number[];
  sumSeconds: number;
}

const METRIC_NAME = 'mon_http_request_duration_seconds';
const METRIC_HELP = 'Duration of API requests in seconds';

/** The name, help text and labels of the histogram of response times, in the form of the metrics library. */
export const RESPONSE_DURATIONS = {
  name: METRIC_NAME,
  help: METRIC_HELP,
  labels: ['method', 'route', 'status'],
} as const;

/**
 * The histogram of response times for Prometheus. It does not use the metrics library, because that builds a text of
 * all labels for each response to find the series.
 */
export class ResponseDurationHistogram {
  readonly #bounds: readonly number[];
  /** The time series by route, method and status. */
  readonly #series = new Map<string, Map<string, Map<number, DurationSeries>>>();

  /** @param bounds upper bounds of the buckets in seconds, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe({ method, route, status, durationMs }: CompletedRequest): void {
    const series = this.#series.get(route)?.get(method)?.get(status) ?? this.#add(method, route, status);
    const seconds = durationMs / 1000;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    const bucket = at === -1 ? this.#bounds.length : at;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sumSeconds += seconds;
  }

  /** Returns the histogram in the text format of Prometheus. */
  text(): string {
    const lines = [`# HELP ${METRIC_NAME} ${METRIC_HELP}`, `# TYPE ${METRIC_NAME} histogram`];
    for (const [route, methods] of this.#series) {
      for (const [method, statuses] of methods) {
        for (const [status, series] of statuses) {
          // No label value contains a character that must be escaped.
          lines.push(...this.#linesOf(series, `method="${method}",route="${route}",status="${String(status)}"`));
        }
      }
    }
    return `${lines.join('\n')}\n`;
  }

  #add(method: string, route: string, status: number): DurationSeries {
    const series: DurationSeries = { counts: Array.from({ length: this.#bounds.length + 1 }, () => 0), sumSeconds: 0 };
    const methods = this.#series.get(route) ?? new Map<string, Map<number, DurationSeries>>();
    const statuses = methods.get(method) ?? new Map<number, DurationSeries>();
    this.#series.set(route, methods.set(method, statuses.set(status, series)));
    return series;
  }

  *#linesOf({ counts, sumSeconds }: DurationSeries, labels: string): Generator<string, void, undefined> {
    let count = 0;
    for (const [at, own] of counts.entries()) {
      count += own;
      yield `${METRIC_NAME}_bucket{le="${String(this.#bounds[at] ?? '+Inf')}",${labels}} ${String(count)}`;
    }
    yield `${METRIC_NAME}_sum{${labels}} ${String(sumSeconds)}`;
    yield `${METRIC_NAME}_count{${labels}} ${String(count)}`;
  }
}
