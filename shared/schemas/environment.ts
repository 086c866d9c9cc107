import { z } from 'zod';

/** Most variables of one command. */
const VARIABLES_MAX = 1000;

/** What a command gets besides the few variables that every one has: `NAME=value`. */
export const environmentSchema = z
  .array(z.string().regex(/^[A-Za-z_]\w*=[^\0]*$/, 'must be NAME=value'))
  .max(VARIABLES_MAX);
