import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBenchFile, type BenchRun } from '../../scripts/bench/bench-file.ts';
import { compareRuns } from '../../scripts/bench/compare.ts';
import { figureText } from '../../scripts/bench/report.ts';

function aRun(jsonParsesPerSecond: number, figures: BenchRun['figures']): BenchRun {
  const speed = { jsonParsesPerSecond, fsyncsPerSecond: 5000 };
  return { name: 'ingest', startedAt: '2026-01-01T00:00:00Z', speed: [speed, speed], load: 0, figures };
}

test.each([
  { unit: '/s', before: [100], after: [150], ratios: [1.5], atEqualSpeed: [0.75] },
  { unit: 'ms', before: [4, 10], after: [2, 10], ratios: [0.5, 1], atEqualSpeed: [1, 2] },
  { unit: 'MiB', before: [500], after: [400], ratios: [0.8], atEqualSpeed: [0.8] },
])(
  'the ratios of benchmark results in $unit are corrected for a machine that is twice as fast in the second run',
  ({ unit, before, after, ratios, atEqualSpeed }) => {
    const earlier = aRun(1_000_000, [{ what: 'it', values: before, unit }]);
    const later = aRun(2_000_000, [{ what: 'it', values: after, unit }]);
    expect(compareRuns(earlier, later)).toEqual([expect.objectContaining({ figure: 'it', ratios, atEqualSpeed })]);
  },
);

test('a benchmark measurement that only one run has, or whose unit changed, is not compared', () => {
  const earlier = aRun(1, [{ what: 'one', values: [1], unit: 'ms' }]);
  const later = aRun(1, [
    { what: 'one', values: [1], unit: 's' },
    { what: 'other', values: [1], unit: 'ms' },
  ]);
  expect(compareRuns(earlier, later)).toEqual([]);
});

test.each([
  { values: [0.256], unit: 'ms', text: '0.26 ms' },
  { values: [12.34, 99.99], unit: 'ms', text: '12.3 / 100 ms' },
  { values: [53_175.4], unit: '/s', text: '53,175 /s' },
  { values: [3], unit: '', text: '3' },
  { values: [null], unit: 'ms', text: 'NaN ms' },
])('a benchmark measurement is printed as $text', ({ values, unit, text }) => {
  expect(figureText({ values, unit })).toBe(text);
});

test.each([
  { what: 'invalid JSON', text: '{"benches"', error: 'is not JSON' },
  { what: 'JSON of another form', text: '{}', error: "is not what 'npm run bench -- all' writes" },
])('a benchmark file with $what is rejected with the name of the file', async ({ text, error }) => {
  const dir = mkdtempSync(join(tmpdir(), 'mon-bench-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'figures.json');
  writeFileSync(file, text);
  await expect(readBenchFile(file)).rejects.toThrow(error);
  await expect(readBenchFile(file)).rejects.toThrow(file);
});

test.each(['bench', 'soak', 'package'])('npm run %s prints its usage and explains a wrong argument', (name) => {
  const run = (...words: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [join(import.meta.dirname, `../../scripts/${name}.ts`), ...words], {
      encoding: 'utf8',
    });
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining(`npm run ${name}`) as string });
  const { status, stderr } = run('--nothing');
  expect(status).toBe(2);
  expect(stderr).toContain("Unknown option '--nothing'");
  expect(stderr).toContain(`usage: npm run ${name}`);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.each(['turns', 'cluster'])(
  'an unknown part of the benchmark %s is rejected before anything is measured',
  (name) => {
    const bench = join(import.meta.dirname, '../../scripts/bench.ts');
    const { status, stderr } = spawnSync(process.execPath, [bench, name, '--part', 'nothing'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^--part is one of \w+, \w+/);
    expect(stderr).not.toMatch(/^ +at /m);
  },
);
