import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../shared/domain/retry-after.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const TELEGRAM = JSON.stringify({ ok: false, error_code: 429, parameters: { retry_after: 14 } });

test.each([
  ['seconds', '30', '', 30_000],
  ['a date', 'Mon, 23 Nov 2026 12:00:10 GMT', '', 10_000],
  ['a date that is over', 'Mon, 23 Nov 2026 11:00:00 GMT', '', 0],
  ['more than an hour', '86400', '', 3_600_000],
  ['what is neither', 'soon', TELEGRAM, undefined],
  ['a bot of Telegram', undefined, TELEGRAM, 14_000],
  ['the header before the body', '30', TELEGRAM, 30_000],
  ['nothing', undefined, '{"ok":false}', undefined],
  ['no JSON', undefined, '<html>', undefined],
  ['another kind of value', undefined, '{"parameters":{"retry_after":"14"}}', undefined],
] as const)('the Retry-After of %s is parsed', (_title, header, body, ms) => {
  expect(retryAfterMs(header, body, NOW)).toBe(ms);
});
