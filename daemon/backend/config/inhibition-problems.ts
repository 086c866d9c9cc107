import { parseInhibition } from '../../../shared/domain/inhibition/rule.ts';
import type { InhibitionDefinition } from '../../../shared/schemas/inhibition.ts';
import type { Remark } from '../../settings/remark.ts';

/** Most rules: each event that is handled is held against all of them. */
const INHIBITIONS_MAX = 200;

/** Searches that cannot be read: nothing is told, or quiet, by half a rule. */
export function* inhibitionProblems(inhibitions: ReadonlyMap<string, InhibitionDefinition>): Generator<Remark> {
  if (inhibitions.size > INHIBITIONS_MAX) {
    yield { path: ['inhibitions'], message: `may have ${String(INHIBITIONS_MAX)} definitions: put some together` };
  }
  for (const [name, definition] of inhibitions) {
    const rule = parseInhibition(name, definition);
    if ('source' in rule) continue;
    for (const { attribute, message } of rule) yield { path: ['inhibitions', name, attribute], message };
  }
}
