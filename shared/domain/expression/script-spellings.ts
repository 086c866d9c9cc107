/** Methods of v2 scripts that have another name here. */
export const SCRIPT_METHODS: ReadonlyMap<string, string> = new Map([
  ['includes', 'include?'],
  ['startsWith', 'start_with?'],
  ['endsWith', 'end_with?'],
  ['toLowerCase', 'downcase'],
  ['toUpperCase', 'upcase'],
]);

/**
 * Functions of v2 scripts such as `hour(event.timestamp)`, in UTC, and the methods of times that implement them here.
 */
export const SCRIPT_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['hour', 'hour'],
  ['weekday', 'wday'],
]);

export const SCRIPT_NOTHING = 'undefined';
