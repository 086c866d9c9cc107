// Prints the counts of a vitest JSON report as its last line, before it each test that passed only at the second try;
// fails when a test failed or when none ran.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const testSchema = z.object({
  status: z.string(),
  fullName: z.string(),
  failureMessages: z.array(z.string()).default([]),
});
const reportSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  success: z.boolean(),
  testResults: z.array(z.object({ name: z.string(), status: z.string(), assertionResults: z.array(testSchema) })),
});

const path = process.argv[2];
if (path === undefined) throw new Error('usage: count-tests.ts REPORT');
const report = reportSchema.parse(JSON.parse(readFileSync(path, 'utf8')));

// A file that does not even load has no test to fail: it counts as one.
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = report.numFailedTests + brokenFiles;

for (const file of report.testResults) {
  for (const test of file.assertionResults) {
    const [first] = test.failureMessages;
    if (test.status !== 'passed' || first === undefined) continue;
    console.log(
      `passed at the second try: ${file.name}: ${test.fullName}\n  at first: ${first.split('\n', 1).join('')}`,
    );
  }
}
console.log(`${String(report.numPassedTests)} passed, ${String(failed)} failed`);
if (failed > 0 || !report.success || report.numPassedTests === 0) process.exitCode = 1;
