import type { CheckResult } from '../schemas/result.ts';
import { isSettings, mergeSettings } from './merge-settings.ts';

/** The name of the event for a client that deregisters, and of its default handler. */
const DEREGISTRATION_CHECK = 'deregistration';

/**
 * Returns the check of the event for a client that deregisters (completion 1.10).
 *
 * @param own the client's attribute `deregistration`; it overrides the defaults, except an empty handler
 * @param now epoch seconds
 */
export function deregistrationCheck(own: unknown, now: number): CheckResult {
  const check = {
    name: DEREGISTRATION_CHECK,
    output: 'client initiated deregistration',
    status: 1,
    handler: DEREGISTRATION_CHECK,
  };
  const merged = isSettings(own) ? mergeSettings(check, own) : check;
  return { ...check, ...merged, handler: merged['handler'] || DEREGISTRATION_CHECK, issued: now, executed: now };
}
