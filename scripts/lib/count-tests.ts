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

const reportPath = process.argv[2];
if (reportPath === undefined) throw new Error('usage: count-tests.ts REPORT');
const testReport = reportSchema.parse(JSON.parse(readFileSync(reportPath, 'utf8')));

// A test file that cannot be loaded reports no failed test, so count the file as one failure.
const brokenFiles = testReport.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const failedCount = testReport.numFailedTests + brokenFiles;

console.log(`${String(testReport.numPassedTests)} passed, ${String(failedCount)} failed`);
if (failedCount > 0 || !testReport.success || testReport.numPassedTests === 0) process.exitCode = 1;
