import { readFile } from 'node:fs/promises';
import { ADMINISTRATORS_GROUP } from '../../../shared/domain/v2/groups.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import { PASSWORD_LENGTH_MIN } from '../../../shared/schemas/v2/password.ts';
import { submittedUserSchema } from '../../../shared/schemas/v2/user.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import type { Log } from '../../log/log.ts';
import { Bcrypt } from '../access/bcrypt.ts';
import type { Terminal } from '../store/upgrade/ask-terminal.ts';
import { backendActor } from '../model/audit/mutations.ts';
import { MAIN_SHARD } from '../store/main-shard.ts';
import { Batcher } from '../commit/batcher.ts';
import { Users } from '../access/users.ts';
import type { Clock, Store } from '../ports.ts';
import { hasAdministrator } from '../access/scopes-of-user.ts';
import { Registry } from '../model/registry/registry.ts';
import { TABLES } from '../model/tables/tables.ts';

const LEASE_MS = 30_000;

interface InitializeDependencies {
  readonly openStore: () => Promise<Store>;
  readonly clock: Clock;
  readonly log: Log;
  /** Environment variables: `MON_ADMIN_USERNAME`, and `MON_ADMIN_PASSWORD` or `MON_ADMIN_PASSWORD_FILE`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The terminal on which the operator enters what the environment does not contain; undefined if there is no terminal.
   */
  readonly terminal: Terminal | undefined;
}

/**
 * Creates the first administrator in a store that no backend is using.
 *
 * @returns the name of the new administrator; undefined if the store already contains an administrator
 * @throws MonError `invalid` if name or password is missing or not allowed; `conflict` if a backend is using the store
 */
export async function createFirstAdministrator({
  openStore,
  clock,
  log,
  env,
  terminal,
}: InitializeDependencies): Promise<string | undefined> {
  await using parts = new AsyncDisposableStack();
  const store = await openStore();
  parts.defer(() => store.close());
  const lease = await store.acquire(MAIN_SHARD, LEASE_MS);
  parts.defer(() => lease.release());
  const registry = new Registry(TABLES);
  await registry.load(store);
  const { users, roles } = registry.credentials;
  if (hasAdministrator(users, roles.index)) return undefined;

  const { username, password } = await credentialsOf(env, terminal);
  const user = submittedUserSchema.safeParse({ username, password, groups: [ADMINISTRATORS_GROUP], disabled: false });
  if (!user.success) throw new MonError('invalid', problemsOf(user.error));
  const batcher = new Batcher({ registry, store, lease, clock, log });
  parts.defer(() => batcher.close());
  const bcrypt = parts.use(new Bcrypt(clock));
  const hashPassword = (text: string): Promise<string> => bcrypt.hash(text);
  await new Users({ batcher, hashPassword, isAdminConfigured: () => false }).put(
    user.data,
    backendActor('mon-backend init'),
  );
  return username;
}

async function credentialsOf(
  env: InitializeDependencies['env'],
  terminal: Terminal | undefined,
): Promise<{ readonly username: string; readonly password: string }> {
  const username = env['MON_ADMIN_USERNAME'] || (await terminal?.ask('Name of the administrator: '));
  const password = (await passwordOf(env)) ?? (await askNewPassword(terminal));
  if (username !== undefined && password !== undefined) return { username, password };
  throw new MonError(
    'invalid',
    'set MON_ADMIN_USERNAME, and MON_ADMIN_PASSWORD or MON_ADMIN_PASSWORD_FILE, or run the command on a terminal to enter name and password',
  );
}

async function passwordOf(env: InitializeDependencies['env']): Promise<string | undefined> {
  const file = env['MON_ADMIN_PASSWORD_FILE'] || undefined;
  const password = env['MON_ADMIN_PASSWORD'] || undefined;
  if (file === undefined) return password;
  if (password !== undefined)
    throw new MonError('invalid', 'set MON_ADMIN_PASSWORD or MON_ADMIN_PASSWORD_FILE, not both');
  try {
    // An editor adds a line end to the file. It is not part of the password.
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new MonError('invalid', `MON_ADMIN_PASSWORD_FILE cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

async function askNewPassword(terminal: Terminal | undefined): Promise<string | undefined> {
  if (terminal === undefined) return undefined;
  const password = await terminal.askSecret(`Password, at least ${String(PASSWORD_LENGTH_MIN)} characters: `);
  if (password === (await terminal.askSecret('The same password again: '))) return password;
  throw new MonError('invalid', 'the two passwords differ: nothing was changed');
}
