import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';
import { Reopener } from '../../../disk/reopener.ts';
import { databaseError, isServerResponse } from './database-error.ts';
import { readStoreRow, type StoreRow } from './open-postgres.ts';
import { closeConnection, type DatabaseServer } from './server.ts';

interface ConnectionDependencies {
  readonly storeId: string;
  /** Runs a task while no write is in progress. */
  readonly runExclusive: (task: () => Promise<void>) => Promise<void>;
  /** Callback that acquires the leases again on a new connection, before the first write on it. */
  readonly restore: (client: Client) => Promise<void>;
  /**
   * Callback for a reconnection that no write waits for. It throws if the database holds a write whose outcome was
   * never reported to its caller.
   */
  readonly verify: () => void;
  /**
   * Callback that receives the schema of the store on each new connection.
   *
   * @throws MonError if this program does not support that schema
   */
  readonly onSchema: (version: number) => void;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * The only connection of this process that writes. If it is lost, this class reconnects at once and retries until it
 * succeeds. All new writes are rejected until the connection is open and the leases are acquired again.
 */
export class WriterConnection implements AsyncDisposable {
  readonly #server: DatabaseServer;
  readonly #parts: ConnectionDependencies;
  readonly #reopener: Reopener;
  readonly #mendedListeners = new Set<() => void>();
  #client: Client | undefined;
  #refusal: MonError | undefined;
  #isEnded = false;

  constructor(server: DatabaseServer, parts: ConnectionDependencies) {
    this.#server = server;
    this.#parts = parts;
    this.#reopener = new Reopener(() => parts.runExclusive(() => this.#reopen()), parts.clock);
  }

  /** The reason why writes are currently rejected; undefined if they are accepted. */
  get refusal(): MonError | undefined {
    return this.#refusal;
  }

  /** Rejects all writes from now on, for example because another process writes or acknowledged writes are gone. */
  rejectWrites(problem: MonError): void {
    this.#refusal = problem;
    this.#reopener[Symbol.dispose]();
  }

  onWritable(listener: () => void): Disposable {
    this.#mendedListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#mendedListeners.delete(listener) };
  }

  /**
   * Runs a statement and awaits its response. Call it only while no other statement is in progress, as in
   * `runExclusive`.
   *
   * @throws MonError `unavailable` if the server rejects the statement, or does not respond; without a response the
   *   connection counts as lost
   */
  async runStatement<T>(statement: (client: Client) => Promise<T>, verb: 'read' | 'write' = 'write'): Promise<T> {
    try {
      return await statement(await this.client());
    } catch (error) {
      if (!(error instanceof MonError) && !isServerResponse(error)) this.markLost(error);
      throw databaseError(this.#server.shown, verb, error);
    }
  }

  /**
   * Returns the connection, which is opened on first use. Call it only while no other statement is in progress, as in
   * `runExclusive`.
   *
   * @throws MonError the reason why writes are rejected: this method does not reconnect a lost connection
   */
  async client(): Promise<Client> {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#client ??= await this.#connect();
    return this.#client;
  }

  /** Drops the connection, which is no longer usable, and starts to reconnect in the background. */
  markLost(error: unknown): void {
    this.#drop();
    if (this.#isEnded) return;
    this.#refusal ??= databaseError(this.#server.shown, 'write', error);
    this.#reopener.start();
  }

  /**
   * Opens a new connection in one attempt; if that succeeds, writes are accepted again. Call it only while no other
   * statement is in progress, as in `runExclusive`.
   *
   * @param look callback that reads from the database before any new write
   * @returns the result of `look`
   * @throws MonError if the attempt fails; writes are still rejected then
   */
  async again<T>(look: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    try {
      await this.#parts.restore(client);
      const seen = await look(client);
      this.#client = client;
      this.#refusal = undefined;
      return seen;
    } catch (error) {
      closeConnection(client);
      throw databaseError(this.#server.shown, 'write', error);
    }
  }

  /** Closes the connection after the statement in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#reopener[Symbol.dispose]();
    await this.#client?.end().catch(() => undefined);
  }

  async #reopen(): Promise<void> {
    // A write whose response was lost may already have reconnected, by calling `again`.
    if (this.#refusal !== undefined) await this.again(async () => this.#parts.verify());
    for (const listener of this.#mendedListeners) listener();
  }

  async #connect(): Promise<Client> {
    const client = await this.#server.connect((error) => {
      if (this.#client === client) this.markLost(error);
    });
    try {
      const row = await storeRowOf(client);
      if (row?.id === this.#parts.storeId) {
        this.#parts.onSchema(row.schema);
        return client;
      }
    } catch (error) {
      closeConnection(client);
      throw databaseError(this.#server.shown, 'read', error);
    }
    closeConnection(client);
    const problem = new MonError(
      'unavailable',
      `the store ${this.#server.shown} has been replaced; restart the backend`,
    );
    // Callers see this reason instead of the error that the lost connection had, because it tells operators what to do.
    if (this.#refusal !== undefined) this.#refusal = problem;
    throw problem;
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) closeConnection(client);
  }
}

/** Returns the row that describes the store; undefined if the database holds no store. */
async function storeRowOf(client: Client): Promise<StoreRow | undefined> {
  try {
    return await readStoreRow(client);
  } catch (error) {
    if (isServerResponse(error)) return undefined;
    throw error;
  }
}
