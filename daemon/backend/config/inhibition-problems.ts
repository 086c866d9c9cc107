import { parseInhibitionRule } from '../../../shared/domain/notify/inhibition-rule.ts';
import type { InhibitionDefinition } from '../../../shared/schemas/inhibition.ts';
import type { Remark } from '../../settings/remark.ts';

/** The maximum number of inhibition rules. It is limited because each handled event is matched against all rules. */
const INHIBITIONS_MAX = 200;

/**
 * Yields a problem if there are too many inhibition rules, and for each rule whose source or target is an invalid
 * selector. Each problem rejects the whole configuration.
 */
export function* inhibitionProblems(inhibitions: ReadonlyMap<string, InhibitionDefinition>): Generator<Remark> {
  if (inhibitions.size > INHIBITIONS_MAX) {
    yield {
      path: ['inhibitions'],
      message: `must contain at most ${String(INHIBITIONS_MAX)} definitions: combine some of them`,
    };
  }
  for (const [name, definition] of inhibitions) {
    const rule = parseInhibitionRule(name, definition);
    if ('source' in rule) continue;
    for (const { attribute, message } of rule) yield { path: ['inhibitions', name, attribute], message };
  }
}
