import { isAttributes } from './attributes.ts';

/**
 * Maximum delay that is accepted. It is limited because other notifications can be waiting, and because the receiver
 * is possibly ready earlier.
 */
const WAIT_MS_MAX = 3_600_000;

/**
 * Returns the delay that a receiver requests, by the header `Retry-After` (RFC 9110, 10.2.3) or by the response of
 * Telegram (core.telegram.org/bots/api#responseparameters).
 *
 * @param header header `Retry-After` of the response: seconds or a date; if undefined, the body is read instead
 * @param body the beginning of the body of the response
 * @param nowMs epoch milliseconds
 * @returns milliseconds, at most an hour; undefined if the response requests no delay
 */
export function retryAfterMs(header: string | undefined, body: string, nowMs: number): number | undefined {
  const requestedMs = header === undefined ? bodyDelayMs(body) : headerDelayMs(header.trim(), nowMs);
  return requestedMs === undefined ? undefined : Math.min(Math.max(0, requestedMs), WAIT_MS_MAX);
}

function headerDelayMs(header: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : time - nowMs;
}

function bodyDelayMs(body: string): number | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    const parameters = isAttributes(answer) ? answer['parameters'] : undefined;
    const seconds = isAttributes(parameters) ? parameters['retry_after'] : undefined;
    return typeof seconds === 'number' ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}
