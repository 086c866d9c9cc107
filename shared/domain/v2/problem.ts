/** The reason why mon cannot use an object that is valid in Sensu Go. The message names the attribute. */
export interface UntranslatableObject {
  readonly problem: string;
}

export function isUntranslatable(value: unknown): value is UntranslatableObject {
  return typeof value === 'object' && value !== null && 'problem' in value && typeof value.problem === 'string';
}
