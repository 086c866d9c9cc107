import { z } from 'zod';

/** Maximum number of arguments of a command, including the program. */
const ARGUMENTS_MAX = 1000;

/** An argument of a program. It must not contain the byte 0, because that ends an argument. */
const argumentSchema = z.string().regex(/^[^\0]*$/, 'must not contain the byte 0');

/** A program and its arguments. It is run without a shell, so only the program interprets the arguments. */
export const argumentsSchema = z
  .array(argumentSchema)
  .min(1, 'must start with the executable to run')
  .max(ARGUMENTS_MAX)
  .refine((command) => command[0] !== '', { path: [0], message: 'must start with the executable to run' })
  .readonly();

/** A command: a command line for a shell, or a program with its arguments (security S14). */
export const commandSchema = z.union([z.string().min(1), argumentsSchema], {
  error: 'must be a shell command, or a list of a program and its arguments',
});

export type CommandLine = string | readonly string[];

/** A token, which is replaced by an attribute of the client: `:::name:::`. */
const TOKEN_FORMAT = /:::[^:\n][^\n]*?:::/;

/** The start of a token in the v2 API: `{{ .name }}`. */
const ENTITY_TOKEN = /\{\{/;

/**
 * Returns an error message if the program of a command is a token; undefined otherwise. Clients supply the values of
 * tokens, so a client could choose the program that is run.
 */
export function programProblem(command: unknown, hasEntityTokens = false): string | undefined {
  const program: unknown = Array.isArray(command) ? command[0] : undefined;
  if (typeof program !== 'string') return undefined;
  const isToken = TOKEN_FORMAT.test(program) || (hasEntityTokens && ENTITY_TOKEN.test(program));
  return isToken ? 'must contain the program itself: a token is not allowed there' : undefined;
}
