import type { Client, ClientBase, Pool } from 'pg';
import { MonError } from '../../../../shared/errors.ts';
import type { UpgradeObstacle } from '../../../../shared/schemas/store-upgrade.ts';
import { databaseError } from './database-error.ts';
import type { DatabaseServer } from './server.ts';
import { OLDER_PROGRAMS, RELEASE_UNLISTED } from './statements.ts';

/**
 * The newest schema that is assumed for programs that do not announce one: the first schema of stores in PostgreSQL.
 */
const UNPUBLISHED_SCHEMA = 3;

/** Time in milliseconds after which a member that was not seen no longer counts as a process that uses the store. */
const LISTED_MS = 600_000;

/**
 * A process that possibly cannot read the newest schema: a member, or (with null fields) the holder of a lease that is
 * not in the list of members.
 */
type OlderProgram =
  | { readonly name: string; readonly url: string; readonly version: string; readonly seconds: number }
  | { readonly name: null; readonly url: null; readonly version: null; readonly seconds: number };

interface OlderProgramsDependencies {
  readonly server: Pick<DatabaseServer, 'readers' | 'shown'>;
  /** The id of this process as a member. */
  readonly self: string;
  /** The newest schema of this program, which all other programs must know before the store is upgraded to it. */
  readonly newest: number;
}

/**
 * Finds the other processes that use the store and possibly do not know the newest schema. If the store were upgraded,
 * they would drop data that they do not know.
 */
export class OlderPrograms {
  readonly #parts: OlderProgramsDependencies;

  constructor(parts: OlderProgramsDependencies) {
    this.#parts = parts;
  }

  /** Returns, as reasons that block the upgrade, the processes that possibly do not know the newest schema. */
  async obstacles(): Promise<readonly UpgradeObstacle[]> {
    const { server, newest } = this.#parts;
    try {
      return (await this.#find(server.readers)).map((program) => obstacleOf(program, newest));
    } catch (error) {
      throw databaseError(server.shown, 'read', error);
    }
  }

  /**
   * Verifies that no other process is too old for the newest schema; such a process could have started since
   * `obstacles` was called.
   *
   * @throws MonError `conflict` if there is such a process
   */
  async refuse(client: Client): Promise<void> {
    const [first] = await this.#find(client);
    if (first !== undefined) throw new MonError('conflict', reasonOf(first, this.#parts.newest));
  }

  /**
   * Releases expired leases whose holders are not in the list of members. Such a holder could be a suspended process.
   * Otherwise it would continue to write under its lease when it resumes.
   */
  async releaseUnlisted(client: Client): Promise<void> {
    await client.query(RELEASE_UNLISTED, [LISTED_MS]);
  }

  async #find(reader: Pool | ClientBase): Promise<readonly OlderProgram[]> {
    const { newest, self } = this.#parts;
    const values = [newest, UNPUBLISHED_SCHEMA, LISTED_MS, self];
    const { rows } = await reader.query<OlderProgram>(OLDER_PROGRAMS, values);
    return rows;
  }
}

function obstacleOf(program: OlderProgram, newest: number): UpgradeObstacle {
  const reason = reasonOf(program, newest);
  if (program.name === null) {
    return {
      reason,
      component: 'store',
      message: 'an unknown process writes to the store',
      remedy: [
        'monctl cluster list  # wait until the process has ended, or is a backend that is listed',
        'mon-backend upgrade --no-backup',
      ],
    };
  }
  return {
    reason,
    component: 'store',
    message: 'a backend of an earlier version shares the store',
    remedy: [
      `monctl cluster list  # install the new version on ${program.name} and restart it, or stop it`,
      'mon-backend upgrade --no-backup',
    ],
  };
}

function reasonOf({ name, url, version, seconds }: OlderProgram, newest: number): string {
  if (name === null) return `a process that is not listed as a member holds a lease for ${String(seconds)} s`;
  return `the backend ${name} (${url}, version ${version}, seen ${String(seconds)} s ago) cannot read schema ${String(newest)}`;
}
