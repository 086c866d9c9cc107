import type { Client, QueryConfig } from 'pg';
import { parseChanges } from '../change-record.ts';
import type { MemberStanding, StoredMember, MemberAnnouncement, WrittenPage, WrittenRecord } from '../shared-store.ts';
import { decodeTuple } from '../tuple.ts';
import { byteaItems } from './bytea-array.ts';
import { databaseError } from './database-error.ts';
import { closeConnection, type DatabaseServer } from './server.ts';
import {
  UPSERT_MEMBER,
  SELECT_WRITES_AFTER,
  FORGET_MEMBERS,
  DELETE_MEMBER,
  SELECT_MEMBERS,
  RELEASED_CHANNEL,
  LEASE_STATUS,
  WRITTEN_CHANNEL,
} from './statements.ts';

/** Time in milliseconds after which a member that is no longer seen is removed from the list of members. */
export const FORGET_MS = 600_000;

/** Timeout in milliseconds of each statement of `meet`, which reads or writes only a few rows. */
const MEET_MS_MAX = 3000;

interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly fingerprint: string | null;
  readonly proof: string | null;
  readonly version: string;
  readonly seq: string;
  readonly since_ms: number;
  readonly seen_ms: number;
}

interface LeaseRow {
  readonly holder: string | null;
  readonly offered_to: string | null;
  readonly epoch: string;
  readonly seq: string;
  readonly since_ms: number;
  readonly good_until_ms: number;
}

type StandingRow = { readonly now_ms: number; readonly schema: number | null } & (
  LeaseRow | Readonly<Record<keyof LeaseRow, null>>
);

type FollowedRow = Readonly<Record<'seq' | 'batch' | 'changes' | 'keys', string>>;

/** The properties of this process as a member of the cluster. */
interface OwnMember {
  readonly id: string;
  /**
   * The newest schema that this program knows. It is announced to the other members, so that an upgrade can find
   * programs that are too old.
   */
  readonly newestSchema: number;
  /**
   * Callback that receives the schema version of the store on each `meet`. It throws if this program does not support
   * that version.
   */
  readonly onSchema: (version: number) => void;
}

/**
 * Announces this backend to the other members of the cluster, and reads their announcements, through the shared
 * database. It also reports new writes and released leases.
 */
export class PostgresMembers implements AsyncDisposable {
  readonly #server: DatabaseServer;
  readonly #self: OwnMember;
  readonly #listeners = { [WRITTEN_CHANNEL]: new Set<() => void>(), [RELEASED_CHANNEL]: new Set<() => void>() };
  #notificationClient: Client | undefined;
  #opening: Promise<void> | undefined;
  #isEnded = false;

  constructor(server: DatabaseServer, self: OwnMember) {
    this.#server = server;
    this.#self = self;
  }

  /** Implements `SharedStore.meet`: announces this member, and reads the members and the lease of a shard. */
  async meet(shard: string, announcement: MemberAnnouncement | undefined): Promise<MemberStanding> {
    // Each `meet` reopens the listening connection if it was lost; otherwise this member would miss notifications
    // forever.
    this.#listen();
    try {
      const { readers } = this.#server;
      if (announcement !== undefined) await this.#announce(announcement);
      const [standing, members] = await Promise.all([
        readers.query<StandingRow>(shortTimeoutQuery(LEASE_STATUS, [shard])),
        readers.query<MemberRow>(shortTimeoutQuery(SELECT_MEMBERS, [])),
      ]);
      const [row] = standing.rows;
      if (typeof row?.schema === 'number') this.#self.onSchema(row.schema);
      return standingOf(row, members.rows.map(memberOf));
    } catch (error) {
      throw databaseError(this.#server.shown, 'read', error);
    }
  }

  async leave(): Promise<void> {
    await this.#server.readers.query(DELETE_MEMBER, [this.#self.id]).catch(() => undefined);
  }

  /** Implements `SharedStore.writtenAfter`: returns the writes to a shard after a sequence number. */
  async writtenAfter(shard: string, seq: number, limit: number): Promise<WrittenPage> {
    const query = { name: 'followed', text: SELECT_WRITES_AFTER, values: [shard, seq, limit], types: TEXT_PARSERS };
    try {
      const { rows } = await this.#server.readers.query<FollowedRow>(query);
      const own = rows.find((row) => Number(row.seq) === seq);
      const others = rows.filter((row) => row !== own);
      return { after: own?.batch, records: others.slice(0, limit).map(recordOf) };
    } catch (error) {
      throw databaseError(this.#server.shown, 'read', error);
    }
  }

  /** Implements `SharedStore.onWritten`: calls `listener` after a member has written. */
  onWritten(listener: () => void): Disposable {
    return this.#add(this.#listeners[WRITTEN_CHANNEL], listener);
  }

  /** Implements `SharedStore.onReleased`: calls `listener` after a member has released a lease. */
  onReleased(listener: () => void): Disposable {
    return this.#add(this.#listeners[RELEASED_CHANNEL], listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    await this.#opening;
    await this.#notificationClient?.end().catch(() => undefined);
  }

  async #announce({ name, url, fingerprint, proof, version, seq }: MemberAnnouncement): Promise<void> {
    const { readers } = this.#server;
    const { id, newestSchema } = this.#self;
    const values = [id, name, url, fingerprint ?? null, version, seq, proof ?? null, newestSchema];
    await readers.query(shortTimeoutQuery(UPSERT_MEMBER, values));
    await readers.query(shortTimeoutQuery(FORGET_MEMBERS, [FORGET_MS]));
  }

  #add(listeners: Set<() => void>, listener: () => void): Disposable {
    listeners.add(listener);
    this.#listen();
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  }

  /**
   * Opens the connection that receives notifications from the database, unless it is open. If it is lost, the next
   * `meet` opens it again.
   */
  #listen(): void {
    if (this.#notificationClient !== undefined || this.#isEnded) return;
    this.#opening ??= this.#openNotificationClient()
      .catch(() => undefined)
      .finally(() => (this.#opening = undefined));
  }

  async #openNotificationClient(): Promise<void> {
    const client = await this.#server.connect(() => {
      if (this.#notificationClient === client) this.#notificationClient = undefined;
      closeConnection(client);
    });
    client.on('notification', ({ channel }) => {
      if (channel !== WRITTEN_CHANNEL && channel !== RELEASED_CHANNEL) return;
      for (const listener of this.#listeners[channel]) listener();
    });
    for (const channel of Object.keys(this.#listeners)) await client.query(`listen ${channel}`);
    this.#notificationClient = client;
  }
}

/**
 * Returns a statement with a short timeout, in case the connection to the database is cut. The next `meet` repeats a
 * statement that timed out.
 */
function shortTimeoutQuery(text: string, values: unknown[]): QueryConfig {
  const query: QueryConfig & { readonly query_timeout: number } = { text, values, query_timeout: MEET_MS_MAX };
  return query;
}

/**
 * Column parsers that return the text format unchanged. The binary format is not usable here: the client library
 * decodes each column as UTF-8, which damages an array of bytes.
 */
const TEXT_PARSERS = { getTypeParser: () => (value: string) => value };

function recordOf({ seq, batch, changes, keys }: FollowedRow): WrittenRecord {
  return {
    seq: Number(seq),
    id: batch,
    changes: parseChanges(changes),
    keys: byteaItems(keys).map((key) => decodeTuple(key.toString())),
  };
}

function memberOf({ id, name, url, fingerprint, proof, version, seq, since_ms, seen_ms }: MemberRow): StoredMember {
  return {
    id,
    name,
    url,
    fingerprint: fingerprint ?? undefined,
    proof: proof ?? undefined,
    version,
    seq: Number(seq),
    sinceMs: since_ms,
    seenMs: seen_ms,
  };
}

function standingOf(row: StandingRow | undefined, members: readonly StoredMember[]): MemberStanding {
  const nowMs = row?.now_ms ?? 0;
  if (row === undefined || row.epoch === null) return { nowMs, members, lease: undefined };
  const { holder, offered_to: offeredTo, epoch, seq, since_ms: sinceMs, good_until_ms: goodUntilMs } = row;
  const named = { holder: holder ?? undefined, offeredTo: offeredTo ?? undefined };
  const lease = { ...named, sinceMs, goodUntilMs, epoch: Number(epoch), seq: Number(seq) };
  return { nowMs, members, lease };
}
