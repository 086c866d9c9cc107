import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import type { Disk, Store } from '../ports.ts';
import { DiskSpace } from './disk-space.ts';
import { openLevelStore, type LevelStoreOptions } from './level-store.ts';
import { openPostgresStore, type PostgresStore } from './postgres/postgres-store.ts';
import { parseDatabaseUrl } from './postgres/database-url.ts';
import { storeBytes } from './store-size.ts';

/** The settings that say where the store is. */
export interface StoreLocation {
  readonly 'state-dir': string;
  /** URL of a PostgreSQL database; absent if the store is in the state directory. */
  readonly store?: string | undefined;
}

/** Access to a store that is not open yet: the function that opens it, its location, its size and its disk. */
export interface StoreAccess {
  readonly openStore: () => Promise<Store>;
  /** Kind and location of the store, as shown to operators. */
  readonly database: { readonly kind: 'leveldb' | 'postgres'; readonly location: string };
  /** True if several backends can share the store. */
  readonly isShared: boolean;
  /** Returns the number of bytes that the store occupies; 0 for a database that this process has not opened. */
  readonly storeBytes: () => Promise<number>;
  /** The disk of the store. Absent for a database, whose administrators are responsible for its disk. */
  readonly disk?: Disk;
}

export function storeAccess(location: StoreLocation, options: LevelStoreOptions = {}): StoreAccess {
  const { 'state-dir': stateDir, store: url } = location;
  const shown = shownLocation(location);
  if (url === undefined) {
    return {
      openStore: () => openLevelStore(stateDir, options),
      database: { kind: 'leveldb', location: shown },
      isShared: false,
      storeBytes: () => storeBytes(stateDir),
      disk: new DiskSpace(stateDir),
    };
  }
  let opened: PostgresStore | undefined;
  return {
    openStore: async () => (opened = await openPostgresStore(url)),
    database: { kind: 'postgres', location: shown },
    isShared: true,
    storeBytes: async () => (await opened?.bytes()) ?? 0,
  };
}

/** Opens a store for a command that runs while no backend serves the store. */
export function openStore(location: StoreLocation): Promise<Store> {
  return storeAccess(location).openStore();
}

/** Parses a store argument of a command line: the URL of a database, or a directory. */
export function locationOf(text: string): StoreLocation {
  return /^postgres(?:ql)?:/.test(text) ? { 'state-dir': '', store: text } : { 'state-dir': text };
}

/**
 * @throws MonError `not_found` if the state directory contains no store, because opening it would create one; a
 *   database is not checked
 */
export async function requireStore({ 'state-dir': dir, store }: StoreLocation): Promise<void> {
  if (store !== undefined) return;
  try {
    await access(join(dir, 'CURRENT'));
  } catch (error) {
    throw new MonError('not_found', `there is no store in ${dir}`, { cause: error });
  }
}

/** Returns the location of a store for operators, without the password of a database. */
export function shownLocation({ 'state-dir': dir, store }: StoreLocation): string {
  return store === undefined ? dir : parseDatabaseUrl(store).shown;
}
