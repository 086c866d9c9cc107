import type { Clock } from '../ports.ts';

/** Returns the response to an accepted request: its time in epoch seconds. */
export function issued({ clock }: { readonly clock: Clock }): { readonly issued: number } {
  return { issued: Math.floor(clock.now() / 1000) };
}
