import type { Migration } from './migration.ts';

/** The first schema in which a store can contain amendments, stored differences to results (store/amendments.ts). */
export const AMENDING_SCHEMA = 4;

/**
 * Allows results to be stored as differences, called amendments. This migration changes no value. It only records that
 * the store can now contain data that earlier programs cannot read.
 */
export const amendments: Migration = {
  version: AMENDING_SCHEMA,
  name: 'results stored as differences',
  prefixes: [],
  rewrite: (_key, value) => value,
};
