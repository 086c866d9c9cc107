/** Fields of searches that were renamed before 1.0.0: the current name by the old name. No field has an old name. */
const RENAMED_FIELDS: ReadonlyMap<string, string> = new Map([
  ['told', 'notified'],
  ['untold', 'pending'],
  ['when', 'source'],
  ['quiets', 'target'],
  ['quiet', 'inhibited'],
  ['because', 'inhibitor'],
  ['kept_back', 'suppressed'],
  ['behind', 'lag'],
]);

/** Returns the error for an old name of a field; undefined if the name is not old, or the list has no such field. */
export function renamedFieldProblem(name: string, fields: { has: (name: string) => boolean }): string | undefined {
  const current = RENAMED_FIELDS.get(name);
  return current !== undefined && fields.has(current) ? `unknown field ${name}: use ${current}` : undefined;
}

/** A search with the current names of its fields, and a warning for each old name that it had. */
export interface CurrentSearch {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * Replaces the old names of fields in a saved search.
 *
 * @param problemOf the problem of a search and its position, as the language of the list reports it
 */
export function withCurrentFields(
  text: string,
  problemOf: (text: string) => { readonly message: string; readonly position: number } | undefined,
): CurrentSearch {
  const warnings: string[] = [];
  let current = text;
  while (true) {
    const problem = problemOf(current);
    if (problem === undefined) return { text: current, warnings };
    const [written = ''] = /^[a-z_]+/i.exec(current.slice(problem.position)) ?? [];
    const name = written.toLowerCase();
    const replacement = RENAMED_FIELDS.get(name);
    if (replacement === undefined || problem.message !== `unknown field ${name}: use ${replacement}`) {
      return { text: current, warnings };
    }
    warnings.push(`${name} is an old name: use ${replacement}`);
    current = current.slice(0, problem.position) + replacement + current.slice(problem.position + written.length);
  }
}
