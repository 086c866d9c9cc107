import type { z } from 'zod';

/** What a validation found, for people: each place with what is wrong there. */
export function problemsOf(error: z.ZodError): string {
  return error.issues
    .map((issue) =>
      [...(issue.path.length === 0 ? [] : [issue.path.map(String).join('.')]), problemOf(issue)].join(': '),
    )
    .join('; ');
}

/** What is wrong and what is allowed, to stand behind the path of the value. */
export function problemOf({ message }: Pick<z.core.$ZodIssue, 'message'>): string {
  return message.replace(/^(?:Invalid input|Invalid option|Too small|Too big|Invalid string): /, '');
}
