import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../shared/domain/retry-after.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const TELEGRAM = JSON.stringify({ ok: false, error_code: 429, parameters: { retry_after: 14 } });

test.each([
  ['a Retry-After header in seconds', '30', '', 30_000],
  ['a Retry-After header with a date', 'Mon, 23 Nov 2026 12:00:10 GMT', '', 10_000],
  ['a Retry-After header with a past date', 'Mon, 23 Nov 2026 11:00:00 GMT', '', 0],
  ['a Retry-After header of more than an hour, which is capped', '86400', '', 3_600_000],
  ['a Retry-After header with an invalid value', 'soon', TELEGRAM, undefined],
  ['the body of a Telegram response', undefined, TELEGRAM, 14_000],
  ['the Retry-After header in preference to the body', '30', TELEGRAM, 30_000],
  ['a response without a requested pause', undefined, '{"ok":false}', undefined],
  ['a body that is not JSON', undefined, '<html>', undefined],
  ['a body with a value of the wrong type', undefined, '{"parameters":{"retry_after":"14"}}', undefined],
] as const)('the pause that a server requests is parsed from %s', (_title, header, body, ms) => {
  expect(retryAfterMs(header, body, NOW)).toBe(ms);
});
