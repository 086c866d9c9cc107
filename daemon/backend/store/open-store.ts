import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import type { Disk, Store } from '../ports.ts';
import { DiskSpace } from './disk-space.ts';
import { openLevelStore, type LevelStoreOptions } from './level-store.ts';
import { openPostgresStore, type PostgresStore } from './postgres/postgres-store.ts';
import { parseDatabaseUrl } from './postgres/database-url.ts';
import { storeBytes } from './store-size.ts';

/** The settings that say where everything is stored. */
export interface StorePlace {
  readonly 'state-dir': string;
  /** A database; absent: the state directory. */
  readonly store?: string | undefined;
}

/** A store that will be opened, and what can be asked about the disk beneath it. */
export interface StoreAccess {
  readonly openStore: () => Promise<Store>;
  /** Where that is, for people. */
  readonly database: { readonly kind: 'leveldb' | 'postgres'; readonly location: string };
  /** Whether other backends may have it too. */
  readonly isShared: boolean;
  /** Bytes that it takes. */
  readonly storeBytes: () => Promise<number>;
  /** Absent: the disk is the business of those who run the database. */
  readonly disk?: Disk;
}

export function storeAccess(place: StorePlace, options: LevelStoreOptions = {}): StoreAccess {
  const { 'state-dir': stateDir, store: url } = place;
  const shown = shownPlace(place);
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

/** For commands that work on a store that no backend serves. */
export function openStore(place: StorePlace): Promise<Store> {
  return storeAccess(place).openStore();
}

/** What is meant by a place on a command line: a database by its URL, anything else is a directory. */
export function placeOf(text: string): StorePlace {
  return /^postgres(?:ql)?:/.test(text) ? { 'state-dir': '', store: text } : { 'state-dir': text };
}

/** @throws MonError `not_found` when there is no store in a directory: opening it would make one */
export async function requireStore({ 'state-dir': dir, store }: StorePlace): Promise<void> {
  if (store !== undefined) return;
  try {
    await access(join(dir, 'CURRENT'));
  } catch (error) {
    throw new MonError('not_found', `there is no store in ${dir}`, { cause: error });
  }
}

/** Where a store is, for people: without the password of a database. */
export function shownPlace({ 'state-dir': dir, store }: StorePlace): string {
  return store === undefined ? dir : parseDatabaseUrl(store).shown;
}
