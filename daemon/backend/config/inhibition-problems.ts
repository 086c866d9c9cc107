import { parseInhibitionRule } from '../../../shared/domain/notify/inhibition-rule.ts';
import type { InhibitionDefinition } from '../../../shared/schemas/inhibition.ts';
import type { Remark } from '../../settings/remark.ts';

/** The maximum number of rules: each handled event is matched against all of them. */
const INHIBITIONS_MAX = 200;

/** Reports rules with an invalid search: a rule is either applied in full or not at all. */
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
