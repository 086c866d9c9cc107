/** How scripts of version 2 spell methods that there are here under another name. */
export const SCRIPT_METHODS: ReadonlyMap<string, string> = new Map([
  ['includes', 'include?'],
  ['startsWith', 'start_with?'],
  ['endsWith', 'end_with?'],
  ['toLowerCase', 'downcase'],
  ['toUpperCase', 'upcase'],
]);

/** `hour(event.timestamp)`, in UTC: each is a method of a time here. */
export const SCRIPT_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['hour', 'hour'],
  ['weekday', 'wday'],
]);

export const SCRIPT_NOTHING = 'undefined';
