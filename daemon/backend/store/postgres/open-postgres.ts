import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import { refuseNewer } from './postgres-schema.ts';
import {
  ADD_MEMBER_COLUMNS,
  CREATE_TABLES,
  HAS_MEMBER_COLUMNS,
  LOCK_TABLE_CREATION,
  SELECT_MISSING,
  TABLE_COLUMNS,
} from './statements.ts';

const SECRET_BYTES = 32;

/** The only row of the table `mon.store`, which describes the store. */
export interface StoreRow {
  readonly id: string;
  readonly schema: number;
  /** The secret by which the backends that share the store authenticate each other, if they have no peer key. */
  readonly secret: string;
  /** The id of the copied store, while a copy into this store is unfinished. Null if the store is complete. */
  readonly copying: string | null;
}

/** Selects whether the database has a PostgreSQL schema `mon`, and whether that holds the tables of a store. */
const FIND_SCHEMA = `
select to_regnamespace('mon') is not null as named, to_regclass('mon.store') is not null as ours`;

/**
 * Creates the tables of a store with the newest schema version, if the database has none. To an existing store it adds
 * only the columns of `mon.member` that earlier versions did not have.
 *
 * @param newest the newest schema version that this program knows
 * @param copying the id of the store that will be copied into the new tables; null if no store will be copied
 * @throws MonError `invalid` if the schema of the store is newer than `newest`, a table or column is missing, or
 *   another program created the PostgreSQL schema `mon`
 */
export async function ensureTables(
  client: Client,
  shown: string,
  newest: number,
  copying: string | null = null,
): Promise<StoreRow> {
  await client.query('begin');
  await client.query(LOCK_TABLE_CREATION);
  const { rows } = await client.query<{ named: boolean; ours: boolean }>(FIND_SCHEMA);
  const { named, ours } = rows[0] ?? { named: false, ours: false };
  if (named && !ours) throw foreignSchemaError(shown);
  if (ours) await refuseDamaged(client, shown);
  else await makeTables(client, newest, copying);
  await addMemberColumns(client);
  const row = await readStoreRow(client);
  await client.query('commit');
  if (row === undefined) throw foreignSchemaError(shown);
  refuseNewer(shown, row.schema, newest);
  return row;
}

/** @throws MonError `invalid` if a table or column of the store is missing, because waiting would not bring it back */
async function refuseDamaged(client: Client, shown: string): Promise<void> {
  const { rows } = await client.query<{ missing: string }>(SELECT_MISSING, [JSON.stringify(TABLE_COLUMNS)]);
  if (rows.length === 0) return;
  throw new MonError(
    'invalid',
    `the store ${shown} is damaged: ${rows.map(({ missing }) => missing).join(', ')} missing; ` +
      'restore a backup of the database, or remove the store with DROP SCHEMA mon CASCADE to begin with an empty one',
  );
}

async function makeTables(client: Client, schema: number, copying: string | null): Promise<void> {
  await client.query(CREATE_TABLES);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await client.query('insert into mon.store (id, schema, copying, secret) values ($1, $2, $3, $4)', [
    randomUUID(),
    schema,
    copying,
    secret,
  ]);
}

/**
 * Adds the columns of `mon.member` that earlier versions did not have. It first checks whether they are missing,
 * because adding them waits for all transactions that read the table.
 */
async function addMemberColumns(client: Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(HAS_MEMBER_COLUMNS);
  if (rows[0]?.exists !== true) await client.query(ADD_MEMBER_COLUMNS);
}

export async function readStoreRow(client: Client): Promise<StoreRow | undefined> {
  const { rows } = await client.query<StoreRow>('select id, schema, copying, secret from mon.store');
  return rows[0];
}

function foreignSchemaError(shown: string): MonError {
  return new MonError(
    'invalid',
    `${shown} has a schema "mon" that was not created by mon; use another database in the setting store`,
  );
}
