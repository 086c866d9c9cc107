import { z } from 'zod';

/** Most arguments of one command, the program included. */
const ARGUMENTS_MAX = 1000;

/** What a program can be given: its arguments end at this byte. */
const argumentSchema = z.string().regex(/^[^\0]*$/, 'must not hold the byte 0');

/** A program and its arguments, run without a shell: nothing in them has a meaning to anybody but the program. */
export const argumentsSchema = z
  .array(argumentSchema)
  .min(1, 'must name the program')
  .max(ARGUMENTS_MAX)
  .refine((command) => command[0] !== '', { path: [0], message: 'must name the program' })
  .readonly();

/** What runs: a line for the shell, or a program and its arguments (security S14). */
export const commandSchema = z.union([z.string().min(1), argumentsSchema], {
  error: 'must be a line for the shell, or a list of a program and its arguments',
});

export type Command = string | readonly string[];

/** What stands for an attribute of the client: `:::name:::`. */
const TOKEN = /:::[^:\n][^\n]*?:::/;

/** A token of version 2. */
const ENTITY_TOKEN = /\{\{/;

/**
 * What is wrong with the command of a check or a hook, whose tokens clients fill in: were the program one of them, a client
 * would choose what runs.
 */
export function programProblem(command: unknown, hasEntityTokens = false): string | undefined {
  const program: unknown = Array.isArray(command) ? command[0] : undefined;
  if (typeof program !== 'string') return undefined;
  const isToken = TOKEN.test(program) || (hasEntityTokens && ENTITY_TOKEN.test(program));
  return isToken ? 'must name the program itself: no token may stand for it' : undefined;
}
