import { expect, test } from 'vitest';
import { send } from '../support/raw-http.ts';
import { repositoryText } from '../support/repository.ts';
import { startBackend } from '../support/running-backend.ts';

/** Metrics that a backend exports only if other backends share its database. */
const OF_CLUSTERS = ['mon_forwarded_requests_total', 'mon_forwarded_agents', 'mon_handler_runs_remote_total'];

interface Entry {
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Returns the documented metrics, by the name of the metric. */
function documented(): ReadonlyMap<string, Entry> {
  const page = repositoryText('docs/metrics.md').replaceAll(/\n {2}(?=\S)/g, ' ');
  const entries = page.matchAll(/^- `(\w+)`, (\w+)(?: \(([^)]+)\))?: (.+)$/gm);
  return new Map(
    Array.from(entries, ([, name = '', type = '', labels = '', help = '']) => [
      name,
      { type, help, labels: labels.match(/\w+/g) ?? [] },
    ]),
  );
}

test('the page of metrics lists each metric of a backend with its type, labels and meaning', async () => {
  await using backend = await startBackend({
    settings: { handlers: { mail: { type: 'pipe', command: 'true' } }, 'entity-limit': 5 },
  });
  const results = [{ source: 'web-1', name: 'disk', output: '', status: 2, handlers: ['mail'] }];
  await send(backend.url, { method: 'POST', target: '/api/mon/v1/results', body: JSON.stringify(results) });
  const { text } = await send(backend.url, { method: 'GET', target: '/metrics', body: null });
  const page = documented();

  const types = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) => [name, type]);
  expect(types).toEqual(
    [...page].filter(([name]) => !OF_CLUSTERS.includes(name)).map(([name, { type }]) => [name, type]),
  );
  for (const [, name = '', help] of text.matchAll(/^# HELP (\w+) (.+)$/gm)) expect(page.get(name)?.help).toBe(help);

  const labelled = [...text.matchAll(/^(\w+?)(?:_bucket|_sum|_count)?\{([^}]*)\}/gm)];
  expect(labelled.length).toBeGreaterThan(10);
  for (const [, name = '', labels = ''] of labelled) {
    const names = Array.from(labels.matchAll(/(\w+)="/g), ([, label]) => label).filter((label) => label !== 'le');
    expect([name, new Set(names)]).toEqual([name, new Set(page.get(name)?.labels)]);
  }
  expect([...page.keys()]).toEqual(expect.arrayContaining(OF_CLUSTERS));
});
