import { definitionWarnings } from '../../../shared/domain/v2/definition-warnings.ts';
import type { Log } from '../../log/log.ts';
import type { StoredDefinitions } from '../definitions/state.ts';

/** Most records of the log; a start is no place to read more. */
const RECORDS_MAX = 100;

/** Says at the start which stored definitions name attributes that there are not. */
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
