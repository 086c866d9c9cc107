/** The JavaScript methods of v2 scripts, each with the name of the same method in `eval:` expressions. */
export const SCRIPT_METHODS: ReadonlyMap<string, string> = new Map([
  ['includes', 'include?'],
  ['startsWith', 'start_with?'],
  ['endsWith', 'end_with?'],
  ['toLowerCase', 'downcase'],
  ['toUpperCase', 'upcase'],
]);

/**
 * The functions of v2 scripts, such as `hour(event.timestamp)`, each with the method of a UTC time that implements it
 * in `eval:` expressions.
 */
export const SCRIPT_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['hour', 'hour'],
  ['weekday', 'wday'],
]);

export const SCRIPT_NOTHING = 'undefined';
