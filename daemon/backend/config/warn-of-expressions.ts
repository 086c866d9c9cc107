import { definitionWarnings } from '../../../shared/domain/v2/definition-warnings.ts';
import type { Log } from '../../log/log.ts';
import type { StoredDefinitions } from '../model/definitions/state.ts';

/** The maximum number of log records. More records would hide other messages at the start. */
const RECORDS_MAX = 100;

/**
 * Logs a warning for each stored check and filter whose expressions name unknown attributes. It is called when the
 * backend starts.
 */
export function warnOfExpressions(stored: StoredDefinitions, log: Log): void {
  let left = RECORDS_MAX;
  for (const [kind, label] of [
    ['checks', 'check'],
    ['filters', 'filter'],
  ] as const) {
    for (const { object } of stored.all(kind)) {
      const { namespace, name } = object.metadata;
      for (const warning of definitionWarnings(kind, object)) {
        if (left-- === 0) return;
        log.warn({ namespace, [label]: name }, warning);
      }
    }
  }
}
