import { switchOption, valueOption } from '../flags.ts';
import { access } from 'node:fs/promises';
import type { V2Client } from '../../../shared/client/v2-client.ts';
import {
  kindNamed,
  readWrapped,
  wrapObject,
  WRAPPED_KINDS,
  type WrappedObject,
  type WrappedKind,
} from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError } from '../../../shared/errors.ts';
import type { CommandCall, Command } from '../command.ts';
import { readTextAttribute } from '../v2-object.ts';
import { countedNoun } from '../counted-noun.ts';
import { listPath, NAMESPACES_OPTIONS, namespacesOf } from '../namespaces.ts';
import { clusterV2 } from '../upgrade/cluster-login.ts';
import { DUMP_FORMATS, DumpWriter, writeAtomically, type DumpFormat, type TextSink } from '../objects/write-objects.ts';

const TYPE_NAMES = WRAPPED_KINDS.map(({ path }) => path);

export const dumpCommand: Command = {
  words: ['dump'],
  summary: 'Dump the objects of the backend to a file',
  details: [
    `TYPES is a comma-separated list of ${TYPE_NAMES.join(', ')}, or all (default); core/v2.CheckConfig and CheckConfig are other names of checks.`,
    'With the scope admin the dump is exact: it contains secrets in plain text, and passwords and API keys as hashes. Otherwise it contains what the API shows to these credentials.',
    'Types that are denied or missing are skipped and listed. Definitions in configuration files are not part of a dump.',
  ],
  operands: ['[TYPES]'],
  completes: [['all', ...TYPE_NAMES]],
  options: {
    ...NAMESPACES_OPTIONS,
    omit: valueOption('TYPE,...', 'leave out these object types', { completes: TYPE_NAMES }),
    format: valueOption(DUMP_FORMATS.join('|'), 'format of the dump; default yaml', { completes: DUMP_FORMATS }),
    file: valueOption('FILE', 'write to this file, replaced atomically; default: standard output', {
      completes: 'file',
      short: 'f',
    }),
    force: switchOption('overwrite an existing file'),
  },
  examples: [
    ['monctl dump --all-namespaces --file backup.yml', 'full backup'],
    ['monctl dump checks,handlers --namespace staging', 'definitions only'],
  ],
  async run(call) {
    const { flags, output } = call;
    const kinds = kindsOf(call.operands[0] || 'all', flags.list('omit') ?? []);
    const format = flags.value('format') ?? 'yaml';
    if (!isDumpFormat(format)) throw new MonError('invalid', `--format must be ${DUMP_FORMATS.join(' or ')}`);
    const namespace = namespacesOf(call);
    const path = flags.value('file');
    if (path === undefined) {
      const source = await sourceOf(call);
      await writeDump(call, source, { kinds, namespace, format }, (text) => output.flow(text));
      await noteOtherNamespaces(call, source, kinds, namespace);
      return;
    }
    if (flags.switch('force') !== true && (await isThere(path))) {
      throw new MonError('conflict', `${path} already exists: use another file, or --force`);
    }
    const source = await sourceOf(call);
    let count = 0;
    await writeAtomically(path, async (sink) => {
      count = await writeDump(call, source, { kinds, namespace, format }, sink);
    });
    await noteOtherNamespaces(call, source, kinds, namespace);
    output.note(`${countedNoun(count, 'objects')} in ${path}`);
  },
};

interface DumpSelection {
  readonly kinds: readonly WrappedKind[];
  /** The namespace to dump; `undefined` means all namespaces. */
  readonly namespace: string | undefined;
  readonly format: DumpFormat;
}

/**
 * Returns the client for the backend to dump. A Sensu Go cluster accepts user and password only to issue an access
 * token, so the client uses such a token.
 *
 * @throws MonError `unauthenticated`, `unavailable`
 */
async function sourceOf(call: CommandCall): Promise<V2Client> {
  const v2 = call.v2();
  try {
    return 'mon' in (await v2.versions()) ? v2 : await clusterV2(call);
  } catch (error) {
    // Errors other than `unavailable` and `unauthenticated` are ignored, because a proxy may block the path of the
    // version. If something is really wrong, the requests for the objects fail too.
    const isOfLogin = error instanceof MonError && ['unavailable', 'unauthenticated'].includes(error.code);
    if (isOfLogin || !(error instanceof MonError)) throw error;
    return v2;
  }
}

/**
 * Writes the selected objects as a dump.
 *
 * @returns the number of written objects
 */
async function writeDump(
  call: CommandCall,
  source: V2Client,
  { kinds, namespace, format }: DumpSelection,
  sink: TextSink,
): Promise<number> {
  const writer = new DumpWriter(sink, format);
  await writer.begin();
  for (const kind of kinds) {
    const label = `${kind.type}${namespace === undefined || !kind.isNamespaced ? '' : ` of ${namespace}`}`;
    for await (const page of pagesOf(call, source, { kind, namespace, label })) await writer.write(page);
  }
  await writer.end();
  return writer.count;
}

/**
 * Prints a note with the namespaces that were not dumped, because a user who named no namespace may expect all of them
 * in the dump.
 */
async function noteOtherNamespaces(
  call: CommandCall,
  source: V2Client,
  kinds: readonly WrappedKind[],
  namespace: string | undefined,
): Promise<void> {
  const isExplicit = namespace === undefined || call.flags.value('namespace') !== undefined;
  if (isExplicit || kinds.every(({ isNamespaced }) => !isNamespaced)) return;
  const all = await source.list(['namespaces']).catch((error: unknown) => {
    if (isDenied(error)) return [];
    throw error;
  });
  const others = all.map((one) => readTextAttribute(one, 'name')).filter((name) => name !== namespace);
  if (others.length > 0) {
    call.output.note(`only ${namespace} was dumped, but there are also ${others.join(', ')}: see --all-namespaces`);
  }
}

/**
 * Yields the objects of one type in pages: with their exact state, or as the API shows them if the exact state is
 * denied. If the objects cannot be read at all, prints a warning and yields nothing.
 */
async function* pagesOf(
  { output }: CommandCall,
  v2: V2Client,
  {
    kind,
    namespace,
    label,
  }: { readonly kind: WrappedKind; readonly namespace: string | undefined; readonly label: string },
): AsyncGenerator<readonly WrappedObject[], void, undefined> {
  try {
    const isExact = yield* exactPages(v2, kind, namespace);
    if (isExact) return;
  } catch (error) {
    if (!isDenied(error)) throw error;
    const isOnlyExact = kind.apiVersion !== undefined;
    output.warn(`${label}: ${isOnlyExact ? 'skipped' : 'as shown by the API'}, because ${error.message}`);
  }
  // The v2 API does not know the type.
  if (kind.apiVersion !== undefined) return;
  try {
    const path = listPath(kind.isNamespaced ? namespace : undefined, kind.path);
    for await (const page of v2.pages(path)) yield page.map((object) => wrapObject(kind, object));
  } catch (error) {
    if (!isDenied(error)) throw error;
    output.warn(`${label}: skipped, because ${error.message}`);
  }
}

/**
 * Yields the objects of one type with their exact state, in pages.
 *
 * @returns `false`, before anything is yielded, if the backend is not a mon backend
 */
async function* exactPages(
  v2: V2Client,
  kind: WrappedKind,
  namespace: string | undefined,
): AsyncGenerator<readonly WrappedObject[], boolean, undefined> {
  let after: string | undefined;
  do {
    const page = await v2.dump(kind.type, kind.isNamespaced ? namespace : undefined, after);
    if (page === undefined) return false;
    yield page.objects.map((object) => readObject(object, v2.url));
    after = page.continue ?? undefined;
  } while (after !== undefined);
  return true;
}

function readObject(value: unknown, url: string): WrappedObject {
  const object = readWrapped(value);
  if ('problem' in object) throw new MonError('internal', `${url} sent an object that ${object.problem}`);
  return object;
}

/**
 * Returns true if the error says that objects do not exist or that the credentials may not read them (clients 6: dump).
 */
function isDenied(error: unknown): error is MonError {
  return error instanceof MonError && ['forbidden', 'not_found', 'payment_required'].includes(error.code);
}

function kindsOf(types: string, omitted: readonly string[]): readonly WrappedKind[] {
  const left = new Set<WrappedKind>(omitted.map((name) => parseKind(name)));
  const names = types.split(',').map((name) => name.trim());
  const selectedKinds = new Set<WrappedKind>(
    names.flatMap((name) => (name === 'all' ? WRAPPED_KINDS : [parseKind(name)])),
  );
  // Object types are dumped in the order in which they can be restored, whatever their order on the command line.
  return WRAPPED_KINDS.filter((kind) => selectedKinds.has(kind) && !left.has(kind));
}

function parseKind(name: string): WrappedKind {
  const kind = kindNamed(name);
  if (kind === undefined) {
    throw new MonError(
      'invalid',
      `${JSON.stringify(name)} is not an object type: use all, or some of ${TYPE_NAMES.join(', ')}`,
    );
  }
  return kind;
}

function isDumpFormat(format: string): format is DumpFormat {
  return DUMP_FORMATS.some((candidate) => candidate === format);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
