import { switchOption } from '../flags.ts';
import { open } from 'node:fs/promises';
import type { V2Client } from '../../../shared/client/v2-client.ts';
import {
  isCountedEntity,
  kindOf,
  namespaceOf,
  wrappedName,
  WRAPPED_KINDS,
  type WrappedObject,
} from '../../../shared/domain/v2/wrapped-object.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import {
  RESTORE_MAX,
  restoreKey,
  type RestoreResult,
  type RestoreOutcome,
  type RestoreRequest,
} from '../../../shared/schemas/restore.ts';
import { confirmChange, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { readTextAttribute } from '../v2-object.ts';
import { countedNoun } from '../counted-noun.ts';
import { ExitError } from '../exit-codes.ts';
import { openFile, readObject } from '../objects/read-objects.ts';
import { shownName } from '../objects/shown-name.ts';
import { indexFile, type FileIndex, type ObjectLocation } from '../objects/index-file.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';

const CREDENTIALS_RANK = WRAPPED_KINDS.findIndex(({ type }) => type === 'User');

/**
 * Maximum size of the objects in one request, in bytes, unless it contains only one object; well below the limit of the
 * backend.
 */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;

export const restoreCommand: Command = {
  words: ['restore'],
  summary: 'Restore a dump and verify the result',
  details: [
    'FILE is a dump of monctl, or one of a Sensu Go cluster (sensuctl dump), as YAML or wrapped JSON. The file is read completely before anything is sent: a truncated file is refused.',
    'Namespaces are restored first, users and API keys last. Each object is listed as created, replaced, unchanged or skipped (with the reason); lost attributes are listed. Objects of the backend that are not in FILE are kept.',
    'No handler runs. The exit code is 9 if an object was skipped, has lost attributes or differs from the file.',
  ],
  operands: ['FILE'],
  options: {
    ...DELETE_OPTIONS,
    quiet: switchOption('list only objects that were skipped or that lost attributes', { short: 'q' }),
  },
  examples: [
    ['monctl restore backup.yml --dry-run', 'preview each object'],
    ['monctl restore sensu-go.yml', 'migrate a Sensu Go cluster'],
  ],
  async run(call) {
    const [path = ''] = call.operands;
    const index = await indexFile(openFile(path), path);
    const isDryRun = call.flags.switch('dry-run') === true;
    if (!index.hasEndMarker) call.output.warn(`${path} has no end marker: it may be incomplete`);
    if (!isDryRun) {
      const question = `restore ${countedNoun(index.locations.length, 'objects')} to ${call.v2().url}`;
      await confirmChange(call, question, () => [], 'Canceled');
    }
    const tally = await restoreAll(call, path, index, isDryRun);
    printSummary(call, tally, isDryRun);
  },
};

/** Number of restored objects by outcome, and of objects with problems. */
interface RestoreTally {
  readonly outcomes: Record<RestoreOutcome, number>;
  /** Number of objects from which attributes were lost. */
  lossy: number;
  /** Number of objects that differed from the file when they were compared after the restore. */
  different: number;
}

async function restoreAll(
  call: CommandCall,
  path: string,
  { locations }: FileIndex,
  isDryRun: boolean,
): Promise<RestoreTally> {
  const tally: RestoreTally = {
    outcomes: { created: 0, replaced: 0, unchanged: 0, skipped: 0 },
    lossy: 0,
    different: 0,
  };
  const foreseen = new AssumedObjects();
  await using file = await open(path);
  for (const page of pagesOf(locations)) {
    const objects: WrappedObject[] = [];
    for (const { offset, length } of page) {
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
      objects.push(await readObject(buffer.toString('utf8'), `${path}: the object at byte ${String(offset)}`));
    }
    const dryRun = { dry_run: true, assumed: foreseen.neededBy(objects), assumed_entities: foreseen.newEntities };
    const v2 = call.v2();
    const results = await restorePage(v2, { objects, ...(isDryRun && dryRun) });
    // A dry run compares the restored objects with the backend at once, while few other changes can have happened.
    const readBack = isDryRun ? undefined : await restorePage(v2, { objects, dry_run: true });
    for (const [at, object] of objects.entries()) {
      const result = results[at];
      if (result === undefined)
        throw new MonError('internal', `${call.v2().url} sent no result for one of the objects`);
      if (isDryRun && result.outcome !== 'skipped') foreseen.add(object, result);
      await reportOutcome(call, object, result, tally, isDifferent(result, readBack?.[at]));
    }
  }
  return tally;
}

/**
 * Sends one request to restore objects. If the backend rejects the whole request, each object is sent alone, so that
 * only the invalid objects are left out.
 */
async function restorePage(v2: V2Client, request: RestoreRequest): Promise<readonly RestoreResult[]> {
  try {
    return (await v2.restore(request)).results;
  } catch (error) {
    if (!(error instanceof MonError && ['invalid', 'threshold', 'too_large'].includes(error.code))) throw error;
    if (request.objects.length === 1) return [{ outcome: 'skipped', reason: error.message }];
    const results: RestoreResult[] = [];
    for (const object of request.objects) results.push(...(await restorePage(v2, { ...request, objects: [object] })));
    return results;
  }
}

/** The objects that a restore would have saved up to now. The dry run of later objects assumes that they exist. */
class AssumedObjects {
  newEntities = 0;
  readonly #keys = new Set<string>();

  add(object: WrappedObject, { outcome }: RestoreResult): void {
    const { type } = object;
    if (isCountedEntity(object) && outcome === 'created') this.newEntities++;
    if (type !== 'Namespace' && type !== 'User' && type !== 'Entity') return;
    this.#keys.add(restoreKey(type, namespaceOf(object), wrappedName(object)));
  }

  /**
   * Returns the keys of the assumed objects on which the given objects may depend: their namespaces, users and
   * entities.
   */
  neededBy(objects: readonly WrappedObject[]): string[] {
    const needed = objects.flatMap((object) => {
      const namespace = namespaceOf(object);
      const entity = wrappedName(object).split('/')[0] ?? '';
      return [
        restoreKey('Namespace', '', namespace),
        restoreKey('User', '', readTextAttribute(object.spec, 'username')),
        restoreKey('Entity', namespace, entity),
      ];
    });
    return [...new Set(needed)].filter((key) => this.#keys.has(key));
  }
}

/**
 * Groups the objects into pages, one for each request. Users and API keys start a new page: as soon as the first of
 * them is restored, the backend enforces credentials, and the API key in use must exist.
 */
function* pagesOf(locations: readonly ObjectLocation[]): Generator<readonly ObjectLocation[], void> {
  let page: ObjectLocation[] = [];
  let bytes = 0;
  for (const location of locations) {
    const isOther = page[0] !== undefined && isCredentials(page[0]) !== isCredentials(location);
    if (page.length === RESTORE_MAX || isOther || (page.length > 0 && bytes + location.length > PAGE_BYTES_MAX)) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(location);
    bytes += location.length;
  }
  if (page.length > 0) yield page;
}

function isCredentials({ rank }: ObjectLocation): boolean {
  return rank >= CREDENTIALS_RANK;
}

function isDifferent({ outcome }: RestoreResult, readBack: RestoreResult | undefined): boolean {
  return readBack !== undefined && outcome !== 'skipped' && readBack.outcome !== 'unchanged';
}

async function reportOutcome(
  { flags, output }: CommandCall,
  object: WrappedObject,
  { outcome, reason, lost = [], warnings }: RestoreResult,
  tally: RestoreTally,
  differs: boolean,
): Promise<void> {
  tally.outcomes[outcome]++;
  if (lost.length > 0) tally.lossy++;
  if (differs) tally.different++;
  const { type, api_version: version } = object;
  const [name, namespace] = [shownName(object), namespaceText(object)];
  const title = `${type} ${namespace === '' ? '' : `${namespace}/`}${name}`.trimEnd();
  for (const warning of warnings ?? []) output.note(`${title}: ${warning}`);
  const isNews = outcome === 'skipped' || lost.length > 0 || differs;
  if (flags.switch('quiet') === true && !isNews) return;
  const value = { outcome, type, api_version: version, namespace, name, reason, lost, warnings, differs };
  await output.showNext(value, () =>
    [
      safeLine(`${outcome} ${title}${reason === undefined ? '' : `: ${reason}`}`),
      ...lost.map((one) => safeLine(`  ${one.attribute}: ${one.reason}`)),
      ...(differs ? ['  differs after the restore: it was changed meanwhile'] : []),
    ].join('\n'),
  );
}

function namespaceText(object: WrappedObject): string {
  return kindOf(object) === undefined ? readTextAttribute(object.metadata, 'namespace') : namespaceOf(object);
}

/**
 * Prints the summary of a restore.
 *
 * @throws ExitError when an object was skipped, lost attributes or differs from the file
 */
function printSummary({ output }: CommandCall, { outcomes, lossy, different }: RestoreTally, isDryRun: boolean): void {
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${String(count)} ${outcome}`);
  output.note(`${counts.join(', ')}${isDryRun ? '; nothing was sent' : ''}`);
  const problems = [
    ...(outcomes.skipped > 0 ? [`${countedNoun(outcomes.skipped, 'objects')} skipped`] : []),
    ...(lossy > 0 ? [`${countedNoun(lossy, 'objects')} with attributes lost`] : []),
    ...(different > 0 ? [`${countedNoun(different, 'objects')} changed before they were verified`] : []),
  ];
  if (problems.length > 0) throw new ExitError(EXIT_CODES.incomplete, problems.join(', '));
}
