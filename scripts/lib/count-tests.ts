// Prints the counts of a vitest JSON report. Fails when a test failed or when none ran.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const testSchema = z.object({ status: z.string() });
const reportSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  success: z.boolean(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(testSchema) })),
});

const path = process.argv[2];
if (path === undefined) throw new Error('usage: count-tests.ts REPORT');
const report = reportSchema.parse(JSON.parse(readFileSync(path, 'utf8')));

// A file that cannot be loaded has no failed test, so it counts as one.
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = report.numFailedTests + brokenFiles;

console.log(`${String(report.numPassedTests)} passed, ${String(failed)} failed`);
if (failed > 0 || !report.success || report.numPassedTests === 0) process.exitCode = 1;
