import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';
import { Reopener } from '../../../disk/reopener.ts';
import { databaseError, isAnswer } from './database-error.ts';
import { readStoreRow, type StoreRow } from './open-postgres.ts';
import { giveUp, type DatabaseServer } from './server.ts';

interface ConnectionParts {
  readonly storeId: string;
  /** Runs a task while nothing is written. */
  readonly runExclusive: (task: () => Promise<void>) => Promise<void>;
  /** Prepares a new connection before anything is written on it. */
  readonly restore: (client: Client) => Promise<void>;
  /**
   * Throws if no write waits for the new connection, and the database holds a write whose outcome was never reported.
   */
  readonly verify: () => void;
  /**
   * Called with the schema of the store on each new connection.
   *
   * @throws MonError if this program cannot use such a store
   */
  readonly onSchema: (version: number) => void;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * The one connection that writes. When it is lost, it reconnects at once and then repeatedly. Until a new connection
 * exists and its state was restored, every write is rejected.
 */
export class WriterConnection implements AsyncDisposable {
  readonly #server: DatabaseServer;
  readonly #parts: ConnectionParts;
  readonly #reopener: Reopener;
  readonly #mendedListeners = new Set<() => void>();
  #client: Client | undefined;
  #refusal: MonError | undefined;
  #isEnded = false;

  constructor(server: DatabaseServer, parts: ConnectionParts) {
    this.#server = server;
    this.#parts = parts;
    this.#reopener = new Reopener(() => parts.runExclusive(() => this.#reopen()), parts.clock);
  }

  /** The reason why writes are rejected now. */
  get refusal(): MonError | undefined {
    return this.#refusal;
  }

  /** Rejects writes permanently: another process writes, or acknowledged writes are gone. */
  refuse(problem: MonError): void {
    this.#refusal = problem;
    this.#reopener[Symbol.dispose]();
  }

  onMended(listener: () => void): Disposable {
    this.#mendedListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#mendedListeners.delete(listener) };
  }

  /**
   * Sends a statement and awaits its response. Call it in turn with writes.
   *
   * @throws MonError as the server says; `unavailable`, and the connection is lost, if no response comes
   */
  async ask<T>(statement: (client: Client) => Promise<T>, verb: 'read' | 'write' = 'write'): Promise<T> {
    try {
      return await statement(await this.client());
    } catch (error) {
      if (!(error instanceof MonError) && !isAnswer(error)) this.lose(error);
      throw databaseError(this.#server.shown, verb, error);
    }
  }

  /**
   * Returns the connection. Call it in turn with writes.
   *
   * @throws MonError the error of the connection: only one place reconnects a lost connection
   */
  async client(): Promise<Client> {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#client ??= await this.#connect();
    return this.#client;
  }

  /** Drops a connection that is no longer usable. */
  lose(error: unknown): void {
    this.#drop();
    if (this.#isEnded) return;
    this.#refusal ??= databaseError(this.#server.shown, 'write', error);
    this.#reopener.start();
  }

  /**
   * Tries once to write again, on a new connection. Call it in turn with writes.
   *
   * @param look inspects the database before any other write
   * @throws MonError
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
      giveUp(client);
      throw databaseError(this.#server.shown, 'write', error);
    }
  }

  /** Ends the connection after the statement in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#reopener[Symbol.dispose]();
    await this.#client?.end().catch(() => undefined);
  }

  async #reopen(): Promise<void> {
    // A waiting write may have reconnected already.
    if (this.#refusal !== undefined) await this.again(async () => this.#parts.verify());
    for (const listener of this.#mendedListeners) listener();
  }

  async #connect(): Promise<Client> {
    const client = await this.#server.connect((error) => {
      if (this.#client === client) this.lose(error);
    });
    try {
      const row = await storeRowOf(client);
      if (row?.id === this.#parts.storeId) {
        this.#parts.onSchema(row.schema);
        return client;
      }
    } catch (error) {
      giveUp(client);
      throw databaseError(this.#server.shown, 'read', error);
    }
    giveUp(client);
    const problem = new MonError(
      'unavailable',
      `the store ${this.#server.shown} has been replaced; restart the backend`,
    );
    // The reason of the current failure helps waiting callers more than that of the previous connection.
    if (this.#refusal !== undefined) this.#refusal = problem;
    throw problem;
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) giveUp(client);
  }
}

/** @returns undefined: there is no store */
async function storeRowOf(client: Client): Promise<StoreRow | undefined> {
  try {
    return await readStoreRow(client);
  } catch (error) {
    if (isAnswer(error)) return undefined;
    throw error;
  }
}
