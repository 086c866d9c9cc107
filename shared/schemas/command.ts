import { z } from 'zod';

/** Maximum number of arguments of a command, including the program. */
const ARGUMENTS_MAX = 1000;

/** An argument of a program, which the byte 0 would terminate. */
const argumentSchema = z.string().regex(/^[^\0]*$/, 'must not contain the byte 0');

/** A program and its arguments, run without a shell, so that only the program interprets them. */
export const argumentsSchema = z
  .array(argumentSchema)
  .min(1, 'must start with the executable to run')
  .max(ARGUMENTS_MAX)
  .refine((command) => command[0] !== '', { path: [0], message: 'must start with the executable to run' })
  .readonly();

/** A command: a shell command line, or a program and its arguments (security S14). */
export const commandSchema = z.union([z.string().min(1), argumentsSchema], {
  error: 'must be a shell command, or a list of a program and its arguments',
});

export type CommandLine = string | readonly string[];

/** A token for an attribute of the client: `:::name:::`. */
const TOKEN = /:::[^:\n][^\n]*?:::/;

/** The start of a v2 token. */
const ENTITY_TOKEN = /\{\{/;

/**
 * Returns the problem of a command whose program is a token. Clients supply the values of tokens, so a client could
 * choose the program.
 */
export function programProblem(command: unknown, hasEntityTokens = false): string | undefined {
  const program: unknown = Array.isArray(command) ? command[0] : undefined;
  if (typeof program !== 'string') return undefined;
  const isToken = TOKEN.test(program) || (hasEntityTokens && ENTITY_TOKEN.test(program));
  return isToken ? 'must contain the program itself: a token is not allowed there' : undefined;
}
