import type { Migration } from './migration.ts';

/** From this schema on the store may hold amendments (store/amendments.ts). */
export const AMENDING_SCHEMA = 4;

/**
 * Results may be stored as what they changed. Nothing that is there has another form for it: the step says that from now on a
 * program may be at the store which writes what earlier ones cannot read.
 */
export const amendments: Migration = {
  version: AMENDING_SCHEMA,
  name: 'results stored as what they changed',
  // Nothing is kept under it.
  prefix: ['amendments'],
  rewrite: (_key, value) => value,
};
