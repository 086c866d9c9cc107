// npm run soak -- NAME [--rounds N]: runs the long form of a test in test/soak, or of all property tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readArguments, refuseArguments } from './lib/read-arguments.ts';

const REPOSITORY_ROOT = fileURLToPath(new URL('../', import.meta.url));
const TEST_SUFFIX = '.test.ts';
/** The name that selects all property tests. Their round is the number of examples that the normal test suite tries. */
const PROPERTIES_SUITE = 'properties';

/** A selected run: the test files for Vitest, and the environment variable that sets the number of rounds. */
interface SoakRun {
  readonly files: readonly string[];
  readonly variable: 'PROPERTY_ROUNDS' | 'SOAK_ROUNDS';
  readonly usualRounds: string;
}

const suiteNames = [
  ...readdirSync(`${REPOSITORY_ROOT}test/soak`)
    .filter((file) => file.endsWith(TEST_SUFFIX))
    .map((file) => file.slice(0, -TEST_SUFFIX.length)),
  PROPERTIES_SUITE,
];
const usageText = `usage: npm run soak -- NAME [--rounds N]\nNAME: ${suiteNames.join(', ')}; N: default 200, of ${PROPERTIES_SUITE} 10`;
const { positionals, values } = readArguments(
  { allowPositionals: true, options: { rounds: { type: 'string' } } },
  usageText,
);
const [name = ''] = positionals;
const { files, variable, usualRounds } = runOf(name);
const { rounds = usualRounds } = values;
if (!suiteNames.includes(name) || !/^[1-9]\d*$/.test(rounds)) refuseArguments(usageText);
const vitestProcess = spawn(process.execPath, [`${REPOSITORY_ROOT}node_modules/vitest/vitest.mjs`, 'run', ...files], {
  cwd: REPOSITORY_ROOT,
  stdio: 'inherit',
  env: { ...process.env, [variable]: rounds },
});
const [code] = (await once(vitestProcess, 'exit')) as [number | null];
process.exitCode = code ?? 1;

function runOf(suite: string): SoakRun {
  if (suite !== PROPERTIES_SUITE) {
    return { files: [`test/soak/${suite}${TEST_SUFFIX}`], variable: 'SOAK_ROUNDS', usualRounds: '200' };
  }
  return { files: filesWithProperties(), variable: 'PROPERTY_ROUNDS', usualRounds: '10' };
}

/** Returns the test files with property tests, except those in test/soak, which have their own long form. */
function filesWithProperties(): readonly string[] {
  return globSync('test/{shared,daemon,tui,support}/**/*.test.{ts,tsx}', { cwd: REPOSITORY_ROOT }).filter((file) =>
    readFileSync(`${REPOSITORY_ROOT}${file}`, 'utf8').includes(`from 'fast-check'`),
  );
}
