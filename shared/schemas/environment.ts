import { z } from 'zod';

/** Most variables of one command. */
const VARIABLES_MAX = 1000;

const VARIABLE = /^[A-Za-z_]\w*=[^\0]*$/;

/** The texts of a list that are variables. */
export function variablesOf(texts: readonly string[] | null | undefined): string[] {
  return (texts ?? []).filter((text) => VARIABLE.test(text));
}

/** What a command gets besides the few variables that every one has: `NAME=value`. */
export const environmentSchema = z.array(z.string().regex(VARIABLE, 'must be NAME=value')).max(VARIABLES_MAX);
