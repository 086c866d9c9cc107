import { Level } from 'level';

/** A LevelDB database with text keys and values. */
export type Database = Level;
