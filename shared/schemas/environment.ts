import { z } from 'zod';

/** Maximum number of environment variables of one command. */
const VARIABLES_MAX = 1000;

const VARIABLE_FORMAT = /^[A-Za-z_]\w*=[^\0]*$/;

/** Returns those texts that have the form `NAME=value`. */
export function validVariables(texts: readonly string[] | null | undefined): string[] {
  return (texts ?? []).filter((text) => VARIABLE_FORMAT.test(text));
}

/** Additional environment variables of a command, as `NAME=value`. */
export const environmentSchema = z.array(z.string().regex(VARIABLE_FORMAT, 'must be NAME=value')).max(VARIABLES_MAX);
