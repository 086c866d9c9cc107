import type { V1Handlers } from '../../http/route.ts';
import { v1Namespace, type NamespaceDependencies } from '../../namespaces/request-namespaces.ts';
import type { MetricSeries } from './metric-series.ts';

interface ResultMetricDependencies extends NamespaceDependencies {
  readonly series: Pick<MetricSeries, 'prometheusText'>;
}

/**
 * Returns the route of the v1 API that Prometheus scrapes to get the metrics in check results (spec prometheus 3.4).
 */
export function resultMetricsOnV1(deps: ResultMetricDependencies): V1Handlers<'resultMetrics'> {
  return {
    resultMetrics: (request, reply) =>
      reply
        .type('text/plain; version=0.0.4; charset=utf-8')
        .send(deps.series.prometheusText(v1Namespace(request, deps).name)),
  };
}
