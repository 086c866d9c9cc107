import { initial } from './001-initial.ts';
import type { Migration } from './migration.ts';

/** Append only: a step that was ever released is never changed, moved or removed. */
export const MIGRATIONS: readonly Migration[] = [initial];
