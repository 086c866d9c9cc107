import { definitionWarnings } from '../../../shared/domain/v2/definition-warnings.ts';
import type { Log } from '../../log/log.ts';
import type { StoredDefinitions } from '../model/definitions/state.ts';

/** The maximum number of log records; more would hide other messages of the start. */
const RECORDS_MAX = 100;

/** Warns at the start of stored definitions that name unknown attributes. */
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
