import { redactEvent } from '../../../../shared/domain/redact.ts';
import type { HandledEvent } from '../../../../shared/schemas/handler-job.ts';
import type { Log } from '../../../log/log.ts';
import { DELIVERED_OUTCOME, type DeliveryOutcome } from './outcome.ts';

/**
 * Maximum length of an event that the built-in handler `debug` writes to the log, in UTF-16 units. A longer event is
 * truncated.
 */
const LOGGED_EVENT_LENGTH_MAX = 4096;

/** Runs the built-in handler `debug`, which writes the redacted event to the log. */
export function runDebugHandler(event: HandledEvent, log: Log, logFields: object): DeliveryOutcome {
  const output = JSON.stringify(redactEvent(event)).slice(0, LOGGED_EVENT_LENGTH_MAX);
  log.info({ ...logFields, output }, 'handler extension output');
  return DELIVERED_OUTCOME;
}
