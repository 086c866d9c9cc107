// Prints the counts of a Vitest JSON report. Exits with code 1 if a test failed or none passed.
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

// A test file that cannot be loaded reports no failed test, so count the file as one failure.
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = report.numFailedTests + brokenFiles;

console.log(`${String(report.numPassedTests)} passed, ${String(failed)} failed`);
if (failed > 0 || !report.success || report.numPassedTests === 0) process.exitCode = 1;
