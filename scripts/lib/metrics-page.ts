import { Metrics } from '../../daemon/backend/health/metrics.ts';
import { inlineCode } from './markdown-text.ts';

/** Explains the additional series of a histogram on the metrics page. */
const HISTOGRAM_NOTE = 'A histogram `NAME` has the series `NAME_bucket` (label `le`), `NAME_sum` and `NAME_count`.';

const NO_LISTENER: Disposable = { [Symbol.dispose]: () => undefined };

/**
 * Stub of the dependencies that the constructor of `Metrics` reads. A metric is read only when it is requested, so the
 * descriptions of the metrics need no other part of a backend.
 */
const STUB_DEPENDENCIES = {
  batcher: { commits: { onCommit: () => NO_LISTENER } },
  handlers: { onDelivered: () => NO_LISTENER },
  clock: { now: () => 0, monotonic: () => 0 },
  forwarding: { requests: 0, agents: 0 },
  spreadRuns: { remoteRunCount: 0 },
} as unknown as ConstructorParameters<typeof Metrics>[0];

/** Returns the text of `docs/metrics.md` from the code that registers the metrics. */
export function metricsPage(): string {
  using metrics = new Metrics(STUB_DEPENDENCIES);
  const described = metrics.describe();
  return [
    '# Metrics',
    '<!-- `node scripts/print-pages.ts` generates this page from the code that registers the metrics. -->',
    'The backend serves these metrics for Prometheus at `GET /metrics`, in the order of this page. A metric about state counts the' +
      ' namespace `default`. [Operations](operations.md) says what to watch, and' +
      ' [Prometheus](prometheus.md) has rules for alerts and a dashboard. The metrics of checks are at' +
      ' `GET /metrics/checks`: see [Metrics of checks](prometheus.md#metrics-of-checks).',
    `Each entry has the type, the labels in parentheses and the meaning. ${HISTOGRAM_NOTE}`,
    described
      .map(({ name, type, labels, help }) => {
        const labelText = labels.length === 0 ? '' : ` (${labels.map((label) => inlineCode(label)).join(', ')})`;
        return `- ${inlineCode(name)}, ${type}${labelText}: ${help}`;
      })
      .join('\n'),
    '',
  ].join('\n\n');
}
