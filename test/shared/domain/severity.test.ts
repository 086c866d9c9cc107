import { expect, test } from 'vitest';
import { severityOf } from '../../../shared/domain/severity.ts';

test.each([
  { status: 0, severity: 'ok' },
  { status: 1, severity: 'warning' },
  { status: 2, severity: 'critical' },
  { status: 3, severity: 'unknown' },
  { status: 127, severity: 'unknown' },
  { status: -1, severity: 'unknown' },
  // Sensu Core counts negative numbers from the end of its list of severities; `mon` shows them as unknown (completion
  // 1.4).
  { status: -2, severity: 'unknown' },
  { status: -4, severity: 'unknown' },
])('the check status $status has the severity $severity', ({ status, severity }) => {
  expect(severityOf(status)).toBe(severity);
});
