import type { Clock } from '../ports.ts';

/** Returns the body of the response to an accepted request: the current time in epoch seconds. */
export function issuedBody({ clock }: { readonly clock: Clock }): { readonly issued: number } {
  return { issued: Math.floor(clock.now() / 1000) };
}
