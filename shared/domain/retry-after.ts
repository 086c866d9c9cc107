import { isAttributes } from './attributes.ts';

/** Nobody is waited for longer: there may be more behind it, for which the receiver has time. */
const WAIT_MS_MAX = 3_600_000;

/**
 * How long a receiver asks to be left alone: by the header (RFC 9110, 10.2.3), or as bots of Telegram are told
 * (core.telegram.org/bots/api#responseparameters).
 *
 * @param header of the answer, seconds or a date
 * @param body the beginning of the answer
 * @param nowMs epoch milliseconds
 * @returns milliseconds, an hour at most; undefined: it does not say
 */
export function retryAfterMs(header: string | undefined, body: string, nowMs: number): number | undefined {
  const asked = header === undefined ? askedInBody(body) : askedInHeader(header.trim(), nowMs);
  return asked === undefined ? undefined : Math.min(Math.max(0, asked), WAIT_MS_MAX);
}

function askedInHeader(header: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : time - nowMs;
}

function askedInBody(body: string): number | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    const parameters = isAttributes(answer) ? answer['parameters'] : undefined;
    const seconds = isAttributes(parameters) ? parameters['retry_after'] : undefined;
    return typeof seconds === 'number' ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}
