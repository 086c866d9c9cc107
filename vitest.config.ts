import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { PATIENCE } from './test/support/patience.ts';
import { propertyRuns } from './test/support/property-runs.ts';
import { SLOW, TierReporter } from './test/support/tier-reporter.ts';

/** Most tests wait for several things, one after the other; properties take longer in their long form. */
const TEST_MS = propertyRuns(4 * PATIENCE.timeout);

/** Needs root and a Debian of its own (CONTRIBUTING.md): no part of the suite, only of `npm run soak`. */
const OPT_IN_TESTS = process.env.SOAK_ROUNDS === undefined ? ['test/soak/package.test.ts'] : [];

/** The file for programs that want the figures; `./scripts/test` names one. */
const REPORT = process.env.MON_TEST_REPORT;

const project = (name: string, include: string[]): object => ({ extends: true, test: { name, include } });

export default defineConfig({
  // As in the programs that people run: Vite would call what only the development build of React has.
  oxc: { jsx: { development: false } },
  test: {
    exclude: [...configDefaults.exclude, ...OPT_IN_TESTS],
    // Real stores, sockets and child processes on a machine that may be slow and busy.
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: PATIENCE },
    // More than the two cores there are: many tests wait for processes and sockets most of their time.
    maxWorkers: 3,
    // No test leaves anything behind in its process, so the files share one: loading Ink, Fastify and the rest anew for
    // each file costs more than the tests themselves.
    isolate: false,
    // The programs that tests start: compiled once, they start in half the time.
    env: {
      // React as people run it; its development build takes twice the time.
      NODE_ENV: 'production',
      // Times are shown in local time; the expected texts of the tests are in UTC.
      TZ: 'UTC',
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'build/compile-cache'),
    },
    reporters: [
      'default',
      new TierReporter(),
      ...(REPORT === undefined ? [] : [['json', { outputFile: REPORT }] as const]),
    ],
    globalSetup: ['test/support/program-folder.ts'],
    setupFiles: ['test/support/setup.ts'],
    tags: [
      { name: SLOW, description: 'takes long: disasters, soaks, whole programs; only `./scripts/test --all` runs it' },
    ],
    projects: [
      project('shared', ['test/shared/**/*.test.ts']),
      project('daemon', ['test/{daemon,conformance,docs,scripts,soak,support}/**/*.test.ts']),
      project('tui', ['test/tui/**/*.test.{ts,tsx}', 'test/scenarios/**/*.test.ts']),
    ],
    coverage: { provider: 'v8', include: ['shared/**', 'daemon/**', 'tui/**'], reporter: ['text-summary'] },
  },
});
