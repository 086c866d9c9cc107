import type { StepOutcome } from '../../../shared/domain/plan/run.ts';
import { fixCommand, namespaceFixes, orphansOf, type NamespaceFix } from '../../../shared/domain/plan/orphans.ts';
import { namesText } from '../../../shared/domain/plan/rule.ts';
import { convertStash } from '../../../shared/domain/stash-silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { StepAction } from '../../../shared/schemas/plan.ts';
import { unexpiredStashes, readStashes } from '../stashes/queries.ts';
import { rejectOnAbort, doneOutcome, failedOutcome, type StepDependencies, type StepRun } from './step-dependencies.ts';

const PROGRESS_MS = 1000;
const MEBIBYTE_BYTES = 1024 * 1024;

/** Runs an action step of an upgrade plan. Each action can safely be repeated. */
export function actionStep(
  action: StepAction,
  parts: StepDependencies,
  run: StepRun,
): Promise<StepOutcome> | StepOutcome {
  switch (action) {
    case 'backup':
      return backUp(parts, run);
    case 'drain':
      // This action does nothing itself: the backend rejects results once the step is stored as done.
      return doneOutcome(
        'results are rejected, agents keep theirs, and keepalives and ages of results are not checked',
      );
    case 'migrate':
      return migrateStore(parts, run);
    case 'resume':
      return doneOutcome('results are accepted again');
    case 'fix-namespaces':
      return fixNamespaces(parts, run);
    default:
      return migrateStashes(parts, run);
  }
}

async function backUp({ store }: StepDependencies, { reportProgress, signal }: StepRun): Promise<StepOutcome> {
  const space = await store.schema.diskSpace();
  if (space !== undefined)
    reportProgress(`copying the store, about ${(space.needed / MEBIBYTE_BYTES).toFixed(0)} MiB at most`);
  const { dir, manifest } = await store.schema.backUp({ signal });
  const { entries, sha256 } = manifest;
  return doneOutcome(`${String(entries)} entries in ${dir}, verified, sha256 ${sha256.slice(0, 16)}`, {
    backup: dir,
  });
}

async function migrateStore({ store, storeUpgrades, clock }: StepDependencies, run: StepRun): Promise<StepOutcome> {
  const { schema } = store;
  if (schema.version === schema.newest) {
    return doneOutcome(`the database is up to date already, at schema ${String(schema.version)}`);
  }
  const before = schema.version;
  await storeUpgrades.start(run.actor, { backup: run.plan.backup === null });
  using timers = new DisposableStack();
  timers.use(
    clock.every(PROGRESS_MS, () => {
      const { progress } = storeUpgrades;
      if (progress === undefined) return;
      run.reportProgress(
        `schema ${String(progress.version)}, ${progress.name}: ${String(progress.done)} of ${String(progress.total)}`,
      );
    }),
  );
  // Ends also when the backend stops, because the backend stops its upgrade plans before it stops the store upgrade.
  const { state, error, backup } = await Promise.race([storeUpgrades.ended(), rejectOnAbort(run.signal)]);
  const own = backup === undefined ? {} : { backup };
  if (state !== 'done') return failedOutcome(error ?? 'the upgrade of the store ended early: start it again', own);
  return doneOutcome(`upgraded the database from schema ${String(before)} to ${String(schema.version)}`, own);
}

async function fixNamespaces(
  parts: StepDependencies,
  { facts, step, actor, reportProgress }: StepRun,
): Promise<StepOutcome> {
  // Only the namespaces that the operator confirmed are fixed. Since then, other namespaces can have come to need a
  // fix.
  const confirmed = new Set(step.confirm?.split(' '));
  const orphans = new Map([...(orphansOf(facts) ?? [])].filter(([namespace]) => confirmed.has(namespace)));
  if (orphans.size === 0) return doneOutcome('the namespace of every check exists');
  const kept: string[] = [];
  let checks = 0;
  for (const fix of namespaceFixes(orphans)) {
    reportProgress(fixCommand(fix));
    if (fix.kind === 'delete-check') checks++;
    const stays = await applyFix(parts, fix, actor);
    if (stays !== undefined) kept.push(stays);
  }
  const note = `deleted ${String(checks)} checks of ${namesText([...orphans.keys()])}`;
  return doneOutcome(kept.length === 0 ? note : `${note}; ${kept.join('; ')}`);
}

const refuseNothing = (): void => undefined;

/** Applies a fix. @returns the reason why a namespace was not deleted; undefined if the fix was applied completely */
async function applyFix(
  { namespaces, definitionChanges }: StepDependencies,
  fix: NamespaceFix,
  actor: StepRun['actor'],
): Promise<string | undefined> {
  switch (fix.kind) {
    case 'create-namespace':
      await namespaces.put(fix.namespace, refuseNothing, actor);
      return undefined;
    case 'delete-check':
      await definitionChanges.remove('checks', fix.namespace, fix.name, refuseNothing, actor);
      return undefined;
    default:
      try {
        await namespaces.remove(fix.namespace, refuseNothing, actor);
        return undefined;
      } catch (error) {
        // The namespace contains objects other than checks. They do not block the upgrade, so the namespace is not
        // deleted.
        if (error instanceof MonError && error.code === 'invalid') return `${fix.namespace} stays: ${error.message}`;
        throw error;
      }
  }
}

async function migrateStashes(
  parts: StepDependencies,
  { actor, reportProgress, signal }: StepRun,
): Promise<StepOutcome> {
  const { registry, store, clock, stashMigrations } = parts;
  const namespace = registry.namespace(DEFAULT_NAMESPACE);
  const silencing = unexpiredStashes(namespace, clock.now()).filter(
    ({ path }) => convertStash({ path, content: {}, expire: -1 }) !== undefined,
  );
  const staying: string[] = [];
  let moved = 0;
  for (const stash of silencing) {
    signal.throwIfAborted();
    const [view] = await readStashes(store, namespace, [stash], clock.now());
    const migration = view === undefined ? undefined : convertStash(view);
    if (migration === undefined) continue;
    const problem =
      migration.kind === 'unclear'
        ? migration.reason
        : await problemOf(stashMigrations.migrate(DEFAULT_NAMESPACE, migration, actor));
    if (problem === undefined) moved++;
    else staying.push(`${stash.path} (${problem})`);
    reportProgress(`${String(moved)} of ${String(silencing.length)} stashes`);
  }
  const note = `${String(moved)} stashes were converted into silences`;
  return staying.length === 0
    ? doneOutcome(note)
    : failedOutcome(`${note}, ${String(staying.length)} stay: ${namesText(staying)}`);
}

async function problemOf(change: Promise<unknown>): Promise<string | undefined> {
  try {
    await change;
    return undefined;
  } catch (error) {
    if (error instanceof MonError && error.code === 'conflict') return error.message;
    // The stash was deleted or has expired meanwhile, so there is nothing to convert.
    if (error instanceof MonError && error.code === 'not_found') return undefined;
    throw error;
  }
}
