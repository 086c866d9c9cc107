import type { Store, StoreOp } from '../ports.ts';
import { API_KEYS, INVALIDATED, SESSIONS, SILENCED, STASHES, TOMBSTONES, USERS } from '../store/keys.ts';
import { silencedOfStored, storedSilenced } from '../silences/stored.ts';
import { stashOfStored, storedStash } from '../stashes/stored.ts';
import type { ApiKey, Session, User } from '../access/credentials.ts';
import type { Tombstone } from './namespace.ts';

/** A value of a table with its times moved; undefined: it has none that move. */
type Shift<Value> = (value: Value, byMs: number) => Value | undefined;

interface Tables {
  readonly [SILENCED]: unknown;
  readonly [STASHES]: unknown;
  readonly [INVALIDATED]: number;
  readonly [TOMBSTONES]: Tombstone;
  readonly [SESSIONS]: Session;
  readonly [USERS]: User;
  readonly [API_KEYS]: ApiKey;
}

/** A time that is not there is not moved. */
const moved = (time: number | null, by: number): number | null => (time === null ? null : time + by);

const SHIFTS: { readonly [Table in keyof Tables]: Shift<Tables[Table]> } = {
  [SILENCED]: (value, byMs) => {
    const entry = silencedOfStored(value);
    const { begin, expireAtMs } = entry;
    if (begin === null && expireAtMs === null) return undefined;
    return storedSilenced({ ...entry, begin: moved(begin, byMs / 1000), expireAtMs: moved(expireAtMs, byMs) });
  },
  [STASHES]: (value, byMs) => {
    const stash = stashOfStored(value);
    if (stash.expireAtMs === null) return undefined;
    return storedStash({ ...stash, expireAtMs: stash.expireAtMs + byMs });
  },
  [INVALIDATED]: (untilMs, byMs) => untilMs + byMs,
  [TOMBSTONES]: ({ deletedMs, untilMs }, byMs) => ({
    deletedMs: deletedMs + byMs,
    untilMs: untilMs + byMs,
  }),
  [SESSIONS]: (session, byMs) => ({
    ...session,
    startedMs: session.startedMs + byMs,
    expiresMs: session.expiresMs + byMs,
    access: session.access.map((token) => ({ ...token, expiresMs: token.expiresMs + byMs })),
  }),
  // Compared with the start of a session.
  [USERS]: (user, byMs) => ({ ...user, passwordChangedMs: user.passwordChangedMs + byMs }),
  // A date that somebody chose stays what it is.
  [API_KEYS]: (key, byMs) =>
    key.lifetime === undefined ? undefined : { ...key, expiresAt: key.expiresAt + byMs / 1000 },
};

/**
 * Moves what was promised for a span of time, so that a correction of the clock neither shortens nor lengthens it. Ages
 * of clients and results are not here: their records tell by which clock they were written.
 *
 * @param seconds by which the clock is corrected
 */
export async function shiftedTimes(store: Pick<Store, 'scan'>, seconds: number): Promise<StoreOp[]> {
  const ops: StoreOp[] = [];
  for (const [table, shift] of Object.entries(SHIFTS) as [string, Shift<unknown>][]) {
    for await (const [key, text] of store.scan([table])) {
      const value = shift(JSON.parse(text) as unknown, seconds * 1000);
      if (value !== undefined) ops.push({ type: 'put', key, value: JSON.stringify(value) });
    }
  }
  return ops;
}
