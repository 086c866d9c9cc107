/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of the path, so that the names in it make no series of their own. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

interface Series {
  /** How many there were up to each bound and beyond the one before; last those beyond all of them. */
  readonly counts: number[];
  sumSeconds: number;
}

const NAME = 'mon_http_request_duration_seconds';
const HELP = 'Duration of API requests in seconds';

/** The description of this histogram, as the metrics library has those of the others. */
export const ANSWER_DURATIONS = { name: NAME, help: HELP, labels: ['method', 'route', 'status'] } as const;

/**
 * How long answers took, as a histogram for Prometheus. Counted here, because the metrics library looks for the series
 * by a text of its labels, which it makes anew for each answer.
 */
export class AnswerDurations {
  readonly #bounds: readonly number[];
  /** By route, method and status. */
  readonly #series = new Map<string, Map<string, Map<number, Series>>>();

  /** @param bounds of the buckets, seconds, in order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe({ method, route, status, durationMs }: AnsweredRequest): void {
    const series = this.#series.get(route)?.get(method)?.get(status) ?? this.#add(method, route, status);
    const seconds = durationMs / 1000;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    const bucket = at === -1 ? this.#bounds.length : at;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sumSeconds += seconds;
  }

  /** In the text format of Prometheus. */
  text(): string {
    const lines = [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`];
    for (const [route, methods] of this.#series) {
      for (const [method, statuses] of methods) {
        for (const [status, series] of statuses) {
          // Neither of them has a character that would need an escape.
          lines.push(...this.#linesOf(series, `method="${method}",route="${route}",status="${String(status)}"`));
        }
      }
    }
    return `${lines.join('\n')}\n`;
  }

  #add(method: string, route: string, status: number): Series {
    const series: Series = { counts: Array.from({ length: this.#bounds.length + 1 }, () => 0), sumSeconds: 0 };
    const methods = this.#series.get(route) ?? new Map<string, Map<number, Series>>();
    const statuses = methods.get(method) ?? new Map<number, Series>();
    this.#series.set(route, methods.set(method, statuses.set(status, series)));
    return series;
  }

  *#linesOf({ counts, sumSeconds }: Series, labels: string): Generator<string, void, undefined> {
    let count = 0;
    for (const [at, own] of counts.entries()) {
      count += own;
      yield `${NAME}_bucket{le="${String(this.#bounds[at] ?? '+Inf')}",${labels}} ${String(count)}`;
    }
    yield `${NAME}_sum{${labels}} ${String(sumSeconds)}`;
    yield `${NAME}_count{${labels}} ${String(count)}`;
  }
}
