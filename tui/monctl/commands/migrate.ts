import { switchOption } from '../flags.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import {
  lastsAtLeastAsLong,
  convertStash,
  silenceSupportProblem,
  type StashMigration,
} from '../../../shared/domain/stash-silencing.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import { confirmChange, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { countedNoun } from '../counted-noun.ts';
import { ExitError } from '../exit-codes.ts';
import { tableText, type Column } from '../table.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';

/**
 * The outcome of the migration for a stash. `make`: a silence is created or extended, then the stash is deleted.
 * `covered`: an existing silence lasts at least as long, so only the stash is deleted. `unready`: a silence would not
 * match the client yet. `unclear`: the path of the stash names no target. `unready` and `unclear` stashes are kept.
 */
type MigrationOutcome = 'make' | 'covered' | 'unready' | 'unclear';

interface PlannedMigration {
  readonly path: string;
  readonly id: string | null;
  readonly expire: number | null;
  readonly reason: string | null;
  readonly creator: string | null;
  readonly fate: MigrationOutcome;
  /** Explanation of `fate` for people. */
  readonly note: string;
}

const migrateStashes: Command = {
  words: ['migrate', 'stashes'],
  summary: 'Convert old silences, which are stored as stashes, into silences',
  details: [
    'Before 0.26, silences were stashes: silence/CLIENT, silence/CLIENT/CHECK and silence/all/CHECK.',
    'Upgrade the clients first (so that each has its own subscription), then the server and the API. Then run this command, and upgrade the dashboards last.',
    'A stash is deleted only after its silence exists. The command can be repeated after an interruption.',
    'Without --apply, the command only shows what it would do.',
  ],
  options: {
    apply: switchOption('create silences from the stashes, then delete the stashes'),
    'skip-confirm': DELETE_OPTIONS['skip-confirm'],
  },
  examples: [
    ['monctl migrate stashes', 'preview'],
    ['monctl migrate stashes --apply', 'apply'],
  ],
  async run(call) {
    const all = await planMigrations(call.api());
    const isApplied = call.flags.switch('apply') === true;
    if (!isApplied || all.length === 0) {
      await call.output.show({ applied: false, stashes: all }, () => planText(all, call));
      return;
    }
    const moving = all.filter(({ fate }) => fate === 'make' || fate === 'covered');
    const staying = all.length - moving.length;
    if (moving.length > 0) {
      const paths = all.map(({ path, note }) => `${path}: ${note}`);
      await confirmChange(call, `migrate ${countedNoun(moving.length, 'stashes')}`, () => paths);
    }
    for (const migration of moving) await migrateStash(call, migration);
    await call.output.show({ applied: true, stashes: all }, () =>
      safeText(`migrated ${countedNoun(moving.length, 'stashes')}${staying === 0 ? '' : `, ${String(staying)} stay`}`),
    );
    if (staying > 0)
      throw new ExitError(
        EXIT_CODES.conflict,
        `${countedNoun(staying, 'stashes')} were kept: see monctl migrate stashes`,
      );
  },
};

export const migrateCommands: readonly Command[] = [migrateStashes];

async function planMigrations(api: ApiClient): Promise<readonly PlannedMigration[]> {
  const [stored, clients, entries] = await Promise.all([api.stashes(), api.clients(), api.silenced()]);
  const clientOf = new Map(clients.map((client) => [client.name, client]));
  const left = new Map(entries.map(({ id, expire }) => [id, expire]));
  return stored
    .flatMap((stash) => convertStash(stash) ?? [])
    .map((migration) => {
      if (migration.kind === 'unclear') return unclearMigration(migration);
      const client = migration.client === undefined ? undefined : clientOf.get(migration.client);
      const problem = client === undefined ? undefined : silenceSupportProblem(client);
      return planMigration(migration, problem, left.get(migration.id));
    });
}

function unclearMigration({ path, reason }: Extract<StashMigration, { readonly kind: 'unclear' }>): PlannedMigration {
  return { path, id: null, expire: null, reason: null, creator: null, fate: 'unclear', note: reason };
}

/**
 * Returns the planned migration of one stash.
 *
 * @param problem the reason why a silence would not match the client yet; `undefined` if there is none
 * @param present remaining seconds of an existing silence with the same id; `undefined` if there is none
 */
function planMigration(
  { path, id, request }: Extract<StashMigration, { readonly kind: 'entry' }>,
  problem: string | undefined,
  present: number | undefined,
): PlannedMigration {
  const expire = request.expire ?? EXPIRE_NEVER;
  const fields = { path, id, expire, reason: request.reason ?? null, creator: request.creator ?? null };
  if (problem !== undefined)
    return { ...fields, fate: 'unready', note: `${problem}: upgrade the agent of this client first` };
  if (present === undefined) return { ...fields, fate: 'make', note: 'a silence is created' };
  if (lastsAtLeastAsLong(present, expire))
    return { ...fields, fate: 'covered', note: 'a silence with this end exists' };
  return { ...fields, fate: 'make', note: 'an existing silence is extended' };
}

/**
 * Creates the silence for one stash if necessary, then deletes the stash.
 *
 * @throws MonError when the silence could not be created; its stash is kept
 */
async function migrateStash(
  { api }: CommandCall,
  { path, id, expire, reason, creator, fate }: PlannedMigration,
): Promise<void> {
  if (fate === 'make' && id !== null) {
    const [subscription, check] = partsOf(id);
    await api().silence({ subscription, check, expire, reason, creator });
    // The silence must exist before the stash is deleted, so that there is no gap between them.
    if ((await api().silencedEntry(id)) === undefined) {
      throw new MonError(
        'conflict',
        `the silence ${id} does not exist (never created, or already expired): the stash ${path} was kept`,
      );
    }
  }
  await api().deleteStash(path);
}

/**
 * Splits the id of a silence into subscription and check at its last colon, because the name of a check contains none.
 * A `*` becomes null.
 */
function partsOf(id: string): readonly [subscription: string | null, check: string | null] {
  const at = id.lastIndexOf(':');
  const [subscription, check] = [id.slice(0, at), id.slice(at + 1)];
  return [subscription === '*' ? null : subscription, check === '*' ? null : check];
}

const MIGRATION_COLUMNS: readonly Column<PlannedMigration>[] = [
  { title: 'STASH', text: ({ path }) => path },
  { title: 'SILENCED ENTRY', text: ({ id }) => id ?? '' },
  {
    title: 'EXPIRES',
    text: ({ expire }) => (expire === null ? '' : expire === EXPIRE_NEVER ? 'never' : `in ${formatDuration(expire)}`),
  },
  { title: 'CREATOR', text: ({ creator }) => creator ?? '' },
  { title: 'REASON', text: ({ reason }) => reason ?? '' },
  { title: 'WHAT', text: ({ note }) => note },
];

function planText(all: readonly PlannedMigration[], { output }: CommandCall): string {
  if (all.length === 0) return 'there are no silence stashes: nothing to migrate';
  return `${tableText(MIGRATION_COLUMNS, all, output.look)}\nnothing was changed: add --apply to apply it`;
}
