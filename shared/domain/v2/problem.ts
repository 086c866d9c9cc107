/** The reason why mon cannot use an object although it is valid; the message names the attribute and the remedy. */
export interface Untranslatable {
  readonly problem: string;
}

export function isUntranslatable(value: unknown): value is Untranslatable {
  return typeof value === 'object' && value !== null && 'problem' in value && typeof value.problem === 'string';
}
