import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import type { Disk, Store } from '../ports.ts';
import { DiskSpace } from './disk-space.ts';
import { openLevelStore, type LevelStoreOptions } from './level-store.ts';
import { openPostgresStore, type PostgresStore } from './postgres/postgres-store.ts';
import { parseDatabaseUrl } from './postgres/database-url.ts';
import { storeBytes } from './store-size.ts';

/** The settings that locate the store. */
export interface StoreLocation {
  readonly 'state-dir': string;
  /** URL of a database; absent: the state directory. */
  readonly store?: string | undefined;
}

/** A store that will be opened, and the properties of its disk. */
export interface StoreAccess {
  readonly openStore: () => Promise<Store>;
  /** Location of the store, for operators. */
  readonly database: { readonly kind: 'leveldb' | 'postgres'; readonly location: string };
  /** True if other backends may share it. */
  readonly isShared: boolean;
  /** Returns the bytes that the store occupies. */
  readonly storeBytes: () => Promise<number>;
  /** Absent: those who run the database are responsible for its disk. */
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

/** Opens a store for commands that work while no backend serves it. */
export function openStore(location: StoreLocation): Promise<Store> {
  return storeAccess(location).openStore();
}

/** Parses a store argument of a command line: the URL of a database, or a directory. */
export function locationOf(text: string): StoreLocation {
  return /^postgres(?:ql)?:/.test(text) ? { 'state-dir': '', store: text } : { 'state-dir': text };
}

/** @throws MonError `not_found` if there is no store in a directory: opening it would create one */
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
