/**
 * Search fields that were renamed before 1.0.0: the current name by the old name. Old names are not used for other
 * fields.
 */
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

/**
 * Returns the error message for an old name of a search field. Returns undefined if the name is not an old one, or if
 * `fields` does not contain its current name.
 */
export function renamedFieldProblem(name: string, fields: { has: (name: string) => boolean }): string | undefined {
  const current = RENAMED_FIELDS.get(name);
  return current !== undefined && fields.has(current) ? `unknown field ${name}: use ${current}` : undefined;
}

/** A search in which old field names were replaced by current ones, with a warning for each replacement. */
export interface CurrentSearch {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * Replaces old names of search fields in a saved search.
 *
 * @param problemOf callback that parses a search and returns its syntax problem; undefined if the search is valid
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
