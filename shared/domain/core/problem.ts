/** Why an object that its schema has let pass cannot be used here; the message names the place and the remedy. */
export interface Untranslatable {
  readonly problem: string;
}

export function isUntranslatable(value: object): value is Untranslatable {
  return 'problem' in value && typeof value.problem === 'string';
}
