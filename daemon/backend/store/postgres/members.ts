import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import { parseChanges } from '../change-record.ts';
import type { MemberStanding, StoredMember, MemberAnnouncement, WrittenPage, WrittenRecord } from '../shared-store.ts';
import { decodeTuple } from '../tuple.ts';
import { byteaItems } from './bytea-array.ts';
import { databaseError, isServerResponse } from './database-error.ts';
import { closeConnection, type DatabaseServer } from './server.ts';
import {
  UPSERT_MEMBER,
  SELECT_WRITES_AFTER,
  FORGET_MEMBERS,
  DELETE_MEMBER,
  DELETE_REPLACED,
  SELECT_MEMBERS,
  RELEASED_CHANNEL,
  LEASE_STATUS,
  WRITTEN_CHANNEL,
} from './statements.ts';

/**
 * Time in milliseconds after which a lost member that nobody has removed is removed from the list of members: 30 days.
 * It bounds the list where each start of a backend has a new host name.
 */
const FORGET_MS = 30 * 86_400_000;

/** Time in milliseconds after which `meet` fails. It reads and writes only a few rows. */
const MEET_MS_MAX = 3000;

/**
 * Limits of the connection for `meet`. The server cancels a statement that hangs, for example because a table is
 * locked. If the server itself hangs, the connection is retained for a while: a new connection would hang too, and the
 * server would have both when it continues. A heartbeat need not be durable, so it does not wait for a disk or a
 * standby.
 */
const MEET_LIMITS = { answerMs: 10_000, cancelMs: 2500, isDurable: false };

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
  /** The connection for `meet` and for notifications. */
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  /** The statements in progress; undefined if there are none. A new `meet` fails until they end. */
  #exchange: Promise<unknown> | undefined;
  #isEnded = false;

  constructor(server: DatabaseServer, self: OwnMember) {
    this.#server = server;
    this.#self = self;
  }

  /** Implements `SharedStore.meet`: announces this member, and reads the members and the lease of a shard. */
  async meet(shard: string, announcement: MemberAnnouncement | undefined): Promise<MemberStanding> {
    return this.#run(async (client) => {
      if (announcement !== undefined) await this.#announce(client, announcement);
      const standing = await client.query<StandingRow>(LEASE_STATUS, [shard]);
      const members = await client.query<MemberRow>(SELECT_MEMBERS);
      const [row] = standing.rows;
      if (typeof row?.schema === 'number') this.#self.onSchema(row.schema);
      return standingOf(row, members.rows.map(memberOf));
    });
  }

  async leave(): Promise<void> {
    await this.remove(this.#self.id).catch(() => undefined);
  }

  /** Implements `SharedStore.removeMember`. */
  async remove(id: string): Promise<void> {
    await this.#run((client) => client.query(DELETE_MEMBER, [id]));
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
    await this.#opening?.catch(() => undefined);
    await this.#client?.end().catch(() => undefined);
  }

  /**
   * Runs statements on the connection for `meet`. There is never a second connection while the first one hangs, so a
   * database that does not respond gets no more connections from this backend.
   *
   * @throws MonError `unavailable` if the database rejects a statement or does not respond in time
   */
  async #run<T>(statements: (client: Client) => Promise<T>): Promise<T> {
    try {
      // A connection that cannot be opened is waited for, too.
      if (this.#exchange !== undefined) throw this.#hangingError();
      const exchange = this.#connection().then(statements);
      this.#exchange = exchange;
      const isOver = (): void => {
        if (this.#exchange === exchange) this.#exchange = undefined;
      };
      exchange.then(isOver, (error: unknown) => {
        isOver();
        if (!(error instanceof MonError) && !isServerResponse(error)) this.#drop();
      });
      return await this.#inTime(exchange);
    } catch (error) {
      throw databaseError(this.#server.shown, 'read', error);
    }
  }

  async #inTime<T>(exchange: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(this.#hangingError()), MEET_MS_MAX);
    try {
      return await Promise.race([exchange, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #hangingError(): MonError {
    return new MonError('unavailable', `the store ${this.#server.shown} does not respond`);
  }

  async #announce(client: Client, announcement: MemberAnnouncement): Promise<void> {
    const { name, url, fingerprint, proof, version, seq } = announcement;
    const { id, newestSchema } = this.#self;
    await client.query(UPSERT_MEMBER, [id, name, url, fingerprint ?? null, version, seq, proof ?? null, newestSchema]);
    await client.query(DELETE_REPLACED, [id]);
    await client.query(FORGET_MEMBERS, [FORGET_MS]);
  }

  #add(listeners: Set<() => void>, listener: () => void): Disposable {
    listeners.add(listener);
    this.#connection().catch(() => undefined);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  }

  /** Returns the connection, which is opened on first use, and again by the next `meet` after it was lost. */
  #connection(): Promise<Client> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    if (this.#isEnded) return Promise.reject(new MonError('unavailable', 'the store is closed'));
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<Client> {
    const client = await this.#server.connect(() => {
      if (this.#client === client) this.#client = undefined;
      closeConnection(client);
    }, MEET_LIMITS);
    client.on('notification', ({ channel }) => {
      if (channel !== WRITTEN_CHANNEL && channel !== RELEASED_CHANNEL) return;
      for (const listener of this.#listeners[channel]) listener();
    });
    try {
      for (const channel of Object.keys(this.#listeners)) await client.query(`listen ${channel}`);
    } catch (error) {
      closeConnection(client);
      throw error;
    }
    this.#client = client;
    return client;
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) closeConnection(client);
  }
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
