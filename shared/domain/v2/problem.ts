/** The reason why mon cannot use an object that is valid in Sensu Go. The message names the attribute. */
export interface Untranslatable {
  readonly problem: string;
}

export function isUntranslatable(value: unknown): value is Untranslatable {
  return typeof value === 'object' && value !== null && 'problem' in value && typeof value.problem === 'string';
}
