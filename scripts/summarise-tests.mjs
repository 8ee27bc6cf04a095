// Adds up the JSON reports of several Vitest runs and prints `N passed, N failed, N skipped`. Fails when a test failed, was
// skipped although its engine is required, or when a suite left no report.
import { readFileSync } from 'node:fs';

const sums = { passed: 0, failed: 0, skipped: 0 };
for (const file of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  sums.passed += report.numPassedTests;
  sums.failed += report.numFailedTests;
  sums.skipped += report.numPendingTests + report.numTodoTests;
  // A file that could not even be loaded has no tests to count.
  sums.failed += report.testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.length === 0,
  ).length;
}
process.stdout.write(`${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped\n`);
process.exit(sums.failed > 0 || sums.skipped > 0 || sums.passed === 0 ? 1 : 0);
