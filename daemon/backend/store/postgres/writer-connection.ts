import type { Client } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import type { Clock } from '../../ports.ts';
import { Reopener } from '../../../disk/reopener.ts';
import { databaseError, isAnswer } from './database-error.ts';
import { readStoreRow } from './open-postgres.ts';
import { giveUp, type DatabaseServer } from './server.ts';

interface ConnectionParts {
  readonly storeId: string;
  /** Runs a task while nothing is written. */
  readonly inTurn: (task: () => Promise<void>) => Promise<void>;
  /** What has to be done on a new connection before anything is written on it. */
  readonly restore: (client: Client) => Promise<void>;
  /** Throws when no write waits for the new connection, and one is there that nobody was told of. */
  readonly verify: () => void;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * The one connection that writes. When it is lost another one is looked for at once and then again and again; until it is
 * there, and what depends on it was restored, every write is refused.
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
    this.#reopener = new Reopener(() => parts.inTurn(() => this.#reopen()), parts.clock);
  }

  /** Why nothing is written now. */
  get refusal(): MonError | undefined {
    return this.#refusal;
  }

  /** For good: somebody else writes, or what was acknowledged is gone. */
  refuse(problem: MonError): void {
    this.#refusal = problem;
    this.#reopener[Symbol.dispose]();
  }

  onMended(listener: () => void): Disposable {
    this.#mendedListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#mendedListeners.delete(listener) };
  }

  /**
   * In turn: makes a statement and awaits its answer.
   *
   * @throws MonError as the server says; `unavailable`, and the connection is lost, when no answer comes
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
   * In turn.
   *
   * @throws MonError the refusal: a connection that was lost is looked for in one place only
   */
  async client(): Promise<Client> {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#client ??= await this.#connect();
    return this.#client;
  }

  /** The connection is of no use any more. */
  lose(error: unknown): void {
    this.#drop();
    if (this.#isEnded) return;
    this.#refusal ??= databaseError(this.#server.shown, 'write', error);
    this.#reopener.start();
  }

  /**
   * In turn: one attempt to write again, on a new connection.
   *
   * @param look at what there is, before anybody else writes
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

  /** Ends it, and lets what is under way end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#reopener[Symbol.dispose]();
    await this.#client?.end().catch(() => undefined);
  }

  async #reopen(): Promise<void> {
    // A write that waited may have found one already.
    if (this.#refusal !== undefined) await this.again(async () => this.#parts.verify());
    for (const listener of this.#mendedListeners) listener();
  }

  async #connect(): Promise<Client> {
    const client = await this.#server.connect((error) => {
      if (this.#client === client) this.lose(error);
    });
    const id = await storeIdOf(client).catch((error: unknown) => {
      giveUp(client);
      throw databaseError(this.#server.shown, 'read', error);
    });
    if (id === this.#parts.storeId) return client;
    giveUp(client);
    const problem = new MonError(
      'unavailable',
      `the store ${this.#server.shown} has been replaced; restart the backend`,
    );
    // Why the connection before was lost helps nobody who waits for it.
    if (this.#refusal !== undefined) this.#refusal = problem;
    throw problem;
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) giveUp(client);
  }
}

/** @returns undefined: there is none */
async function storeIdOf(client: Client): Promise<string | undefined> {
  try {
    return (await readStoreRow(client))?.id;
  } catch (error) {
    if (isAnswer(error)) return undefined;
    throw error;
  }
}
