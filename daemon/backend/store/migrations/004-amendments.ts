import type { Migration } from './migration.ts';

/** The schema from which on the store may hold amendments (store/amendments.ts). */
export const AMENDING_SCHEMA = 4;

/**
 * Allows results to be stored as amendments. No existing value changes its form. The migration only records that the
 * store may now hold data that earlier programs cannot read.
 */
export const amendments: Migration = {
  version: AMENDING_SCHEMA,
  name: 'results stored as differences',
  prefixes: [],
  rewrite: (_key, value) => value,
};
