import { Level } from 'level';

/** LevelDB with text keys and values. */
export type Database = Level;
