import type { z } from 'zod';

/** Formats the errors of a validation for people: the path of each invalid value and its problem. */
export function problemsOf(error: z.ZodError): string {
  return error.issues
    .map((issue) =>
      [...(issue.path.length === 0 ? [] : [issue.path.map(String).join('.')]), problemOf(issue)].join(': '),
    )
    .join('; ');
}

/** Formats the problem of one value, as text that can follow the path of the value. */
export function problemOf({ message }: Pick<z.core.$ZodIssue, 'message'>): string {
  return message.replace(/^(?:Invalid input|Invalid option|Too small|Too big|Invalid string): /, '');
}
