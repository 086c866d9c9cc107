import type { Clock } from '../ports.ts';

/** The answer to what was taken: when, in epoch seconds. */
export function issued({ clock }: { readonly clock: Clock }): { readonly issued: number } {
  return { issued: Math.floor(clock.now() / 1000) };
}
