import type { Stash } from '../../../shared/schemas/stash.ts';

/** A stash as every store has held it since the first: its end is `expire_at`, and in milliseconds. Known here alone. */
interface Stored extends Omit<Stash, 'expireAtMs'> {
  readonly expire_at: number | null;
}

/** What is stored of a stash, as JSON. */
export function storedStash({ path, content, expireAtMs }: Stash): object {
  return { path, content, expire_at: expireAtMs } satisfies Stored;
}

/** @param value what `storedStash` made, from JSON */
export function stashOfStored(value: unknown): Stash {
  const { path, content, expire_at: expireAtMs } = value as Stored;
  return { path, content, expireAtMs };
}
