import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BenchFile, BenchRun } from './bench-file.ts';
import { machineSpeed } from './machine-speed.ts';
import { formatNumber } from './report.ts';

const REPOSITORY_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs benchmarks one after the other, each in its own process. It writes their figures into one file, each with the
 * speed of the machine at that time. `npm run bench -- compare` compares two such files.
 *
 * @param options command-line options that each benchmark gets
 */
export async function runBenchmarks(names: readonly string[], file: string, options: readonly string[]): Promise<void> {
  const benches: BenchRun[] = [];
  for (const name of names) {
    console.log(`\n${name}`);
    benches.push(await runBenchmark(name, options));
    // The file is written after each benchmark, so that no figures are lost when a later benchmark fails.
    await writeFile(file, `${JSON.stringify(describeRun(benches), undefined, 2)}\n`);
  }
  console.log(`\nwritten to ${file}`);
}

async function runBenchmark(name: string, options: readonly string[]): Promise<BenchRun> {
  const written = `${REPOSITORY_ROOT}build/bench-${name}-${String(process.pid)}.json`;
  const before = await machineSpeed();
  const [load = 0] = loadavg();
  const startedAt = new Date().toISOString();
  try {
    const child = spawn(process.execPath, [`${REPOSITORY_ROOT}scripts/bench.ts`, name, '--json', written, ...options], {
      stdio: 'inherit',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the bench ${name} failed`);
    const figures = JSON.parse(await readFile(written, 'utf8')) as BenchRun['figures'];
    const after = await machineSpeed();
    const { jsonParsesPerSecond, fsyncsPerSecond } = after;
    console.log(
      `the machine: JSON.parse ${formatNumber(jsonParsesPerSecond)} /s, fsync ${formatNumber(fsyncsPerSecond)} /s`,
    );
    return { name, startedAt, speed: [before, after], load, figures };
  } finally {
    await rm(written, { force: true });
  }
}

function describeRun(benches: BenchRun[]): BenchFile {
  const [cpu] = cpus();
  return {
    commit: execFileSync('git', ['describe', '--always', '--dirty'], { cwd: REPOSITORY_ROOT, encoding: 'utf8' }).trim(),
    node: process.version,
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    benches,
  };
}
