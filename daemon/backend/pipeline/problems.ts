import type { z } from 'zod';

/** What a validation found, for people: each place with what is wrong there. */
export function problemsOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');
}
