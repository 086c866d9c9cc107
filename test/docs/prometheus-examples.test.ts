import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { repositoryText } from '../support/repository.ts';
import { startBackend } from '../support/running-backend.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    /** The queries of the panel; missing for the title of a row. */
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const RULES = (parse(repositoryText('examples/prometheus/rules.yml')) as Rules).groups.flatMap(({ rules }) => rules);
const { panels: PANELS } = JSON.parse(repositoryText('examples/grafana/mon.json')) as Dashboard;

/** Names of the metrics that the backend exports, and of those that Prometheus itself creates. */
const known = new Set(['up']);

beforeAll(async () => {
  await using backend = await startBackend();
  const text = await (await fetch(`${backend.url}/metrics`)).text();
  for (const [, name = '', kind] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    known.add(name);
    if (kind === 'histogram') for (const end of ['bucket', 'sum', 'count']) known.add(`${name}_${end}`);
  }
});

/** Returns the names of the metrics that an expression reads. */
function metricsIn(expression: string): readonly string[] {
  const plain = expression.replaceAll(/\{[^}]*\}/g, '');
  return [...plain.matchAll(/\b(?:mon|process|nodejs)_\w+\b|\bup\b/g)].map(([name]) => name);
}

describe('the examples for Prometheus and Grafana', () => {
  test.each([
    ...RULES.map(({ alert, expr }) => [`the rule ${alert}`, expr] as const),
    ...PANELS.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`the panel "${title}"`, expr] as const)),
  ])('the expression of %s uses existing metrics', (_where, expression) => {
    const names = metricsIn(expression);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test('the example alerting rules have unique names, a severity and a summary', () => {
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
    for (const { labels, annotations } of RULES) {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
    }
  });

  test('the example Grafana panels have unique numbers', () => {
    expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length);
  });

  test('the example Prometheus configuration sends alerts to mon and scrapes the metrics of mon', () => {
    expect(parse(repositoryText('examples/prometheus/prometheus.yml'))).toMatchObject({
      rule_files: ['rules.yml'],
      scrape_configs: [{ job_name: 'mon' }, { job_name: 'mon-checks', metrics_path: '/metrics/checks' }],
      alerting: { alertmanagers: [{}] },
    });
  });
});
