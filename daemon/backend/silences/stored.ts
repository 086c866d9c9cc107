import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';

/** An entry as every store has held it since the first: its end is `expire_at`, and in milliseconds. Known here alone. */
interface Stored extends Omit<SilencedEntry, 'expireAtMs'> {
  readonly expire_at: number | null;
}

/** What is stored of an entry, as JSON. */
export function storedSilenced(entry: SilencedEntry): object {
  const { id, subscription, check, reason, creator, begin, expireAtMs: expire_at, ...rest } = entry;
  return { id, subscription, check, reason, creator, begin, expire_at, ...rest } satisfies Stored;
}

/** @param value what `storedSilenced` made, from JSON */
export function silencedOfStored(value: unknown): SilencedEntry {
  const { id, subscription, check, reason, creator, begin, expire_at: expireAtMs, ...rest } = value as Stored;
  return { id, subscription, check, reason, creator, begin, expireAtMs, ...rest };
}
