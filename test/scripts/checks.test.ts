/** @module-tag slow */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeScriptClone, type ScriptClone } from '../support/script-clone.ts';

let clone: ScriptClone;
beforeEach(() => {
  clone = makeScriptClone();
});
afterEach(() => clone[Symbol.dispose]());

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

test('./scripts/test runs every check', () => {
  const { stdout, status } = clone.run('scripts/test');
  expect(stdout.match(/running \w+/g)).toEqual([
    'running types',
    'running lint',
    'running deadcode',
    'running format',
    'running test',
  ]);
  expect(lastLine(stdout)).toBe('every check passed');
  expect(status).toBe(0);
});

test('./scripts/test --all runs the slow tests as well, as .ci/run does', () => {
  for (const { stdout } of [clone.run('scripts/test', ['--all']), clone.run('.ci/run')]) {
    expect(stdout.match(/running test\S*/g)).toEqual(['running test:all']);
  }
});

test('./scripts/test rejects other arguments before it does anything', () => {
  for (const args of [['--al'], ['--all', 'test/shared']]) {
    const { stdout, stderr, status } = clone.run('scripts/test', args);
    expect(stdout).toBe('');
    expect(stderr).toContain('usage: ./scripts/test [--all]');
    expect(status).toBe(2);
  }
});

test('./scripts/test continues after a failed check, names it at the end and fails', () => {
  const { stdout, status } = clone.run('scripts/test', [], { FAIL: 'format lint' });
  expect(stdout.match(/running \w+/g)).toHaveLength(5);
  expect(lastLine(stdout)).toBe('failed: lint format');
  expect(status).toBe(1);
});

/** Returns a JSON report of Vitest, reduced to the attributes that `scripts/test` reads. */
function report(passed: number, failed: number, files: readonly string[][] = []): string {
  return JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    success: failed === 0 && files.length === 0,
    testResults: files.map((tests) => ({
      name: 'some.test.ts',
      status: 'failed',
      assertionResults: tests.map((status) => ({ status, fullName: 'a test' })),
    })),
  });
}

test.each<{ name: string; env: Record<string, string>; line: string; status: number }>([
  { name: 'all passed', env: { REPORT: report(12, 0) }, line: '12 passed, 0 failed', status: 0 },
  {
    name: 'a test failed',
    env: { REPORT: report(11, 1, [['passed', 'failed']]), FAIL: 'test' },
    line: '11 passed, 1 failed',
    status: 1,
  },
  {
    name: 'a file did not load',
    env: { REPORT: report(11, 0, [[]]), FAIL: 'test' },
    line: '11 passed, 1 failed',
    status: 1,
  },
  {
    name: 'another check failed',
    env: { REPORT: report(12, 0), FAIL: 'lint' },
    line: '12 passed, 0 failed',
    status: 1,
  },
  { name: 'no test ran', env: { REPORT: report(0, 0) }, line: '0 passed, 0 failed', status: 1 },
  { name: 'the tests did not even start', env: { FAIL: 'test' }, line: '0 passed, 0 failed', status: 1 },
  { name: 'the build failed', env: { BREAK_BUILD: '1' }, line: '0 passed, 0 failed', status: 1 },
])('.ci/run ends with the counts and the verdict: $name', ({ env, line, status }) => {
  const run = clone.run('.ci/run', [], env);
  expect(lastLine(run.stdout)).toBe(line);
  expect(run.status).toBe(status);
});

test('.ci/run ignores the test report of an earlier run', () => {
  clone.run('.ci/run', [], { REPORT: report(12, 0) });
  expect(lastLine(clone.run('.ci/run', [], { FAIL: 'test' }).stdout)).toBe('0 passed, 0 failed');
});

test('.ci/run reports that the installation of the packages failed', () => {
  rmSync(join(clone.bin, 'npm'));
  const run = clone.run('.ci/run');
  expect(run.stderr).toContain('npm is not installed');
  expect([lastLine(run.stdout), run.status]).toEqual(['0 passed, 0 failed', 1]);
});
