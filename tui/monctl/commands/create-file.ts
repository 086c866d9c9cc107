import { Readable } from 'node:stream';
import type { V2Client } from '../../../shared/client/v2-client.ts';
import {
  setNamespace,
  kindOf,
  namespaceOf,
  pathOf,
  unwrapObject,
  wrappedName,
  type WrappedObject,
} from '../../../shared/domain/v2/wrapped-object.ts';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { withCommandText } from '../../../shared/domain/v2/definition-command.ts';
import { changedFields } from '../../../shared/domain/v2/changed-fields.ts';
import { skippedReason } from '../../../shared/domain/v2/import-losses.ts';
import { safeLine, safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import { CHANGE_OPTIONS, confirmChange, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { countedNoun } from '../counted-noun.ts';
import { ExitError } from '../exit-codes.ts';
import { FILE_OPTION } from '../input.ts';
import { NAMESPACE_OPTION, callNamespace } from '../namespaces.ts';
import { openFile, readObjects } from '../objects/read-objects.ts';
import { shownName } from '../objects/shown-name.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';

/**
 * Maximum number of objects in a file. It suffices for files written by hand; `restore` handles the dump of a whole
 * backend.
 */
const OBJECTS_MAX = 10_000;

const FORM_DETAILS = [
  'Each object has the form {type, api_version, metadata, spec}: YAML documents separated by ---, or JSON objects in sequence or in a list.',
  'Objects without a namespace belong to the namespace that --namespace names.',
];

export const createFileCommand: Command = {
  words: ['create'],
  summary: 'Create or replace the objects defined in a file',
  details: [
    ...FORM_DETAILS,
    'If an object is rejected, the other objects are still processed, and the exit code is 9.',
    'With --dry-run, each object is compared with the backend and listed as created, updated (with the fields that differ) or unchanged.',
  ],
  options: { file: FILE_OPTION, ...NAMESPACE_OPTION, ...CHANGE_OPTIONS },
  examples: [
    ['monctl create -f checks.yml --namespace staging', 'from version control'],
    ['monctl dump checks | monctl create -f - --namespace staging', 'from another backend'],
  ],
  async run(call) {
    await forEachObject(call, 'create', async (v2, object, path) => {
      refuseExactState(object);
      return { outcome: 'Created', warnings: await v2.put(path, unwrapObject(object)) };
    });
  },
};

export const applyCommand: Command = {
  ...createFileCommand,
  words: ['apply'],
  summary: 'Same as "monctl create"',
  examples: [['monctl apply -f checks.yml --namespace staging', 'from version control']],
};

export const diffCommand: Command = {
  ...createFileCommand,
  words: ['diff'],
  summary: 'Same as "monctl create --dry-run": compare a file with the backend, change nothing',
  options: { file: FILE_OPTION, ...NAMESPACE_OPTION },
  examples: [['monctl diff -f checks.yml --namespace staging', 'what "monctl apply" would change']],
  run: (call) => createFileCommand.run({ ...call, flags: call.flags.withSwitch('dry-run') }),
};

export const deleteFileCommand: Command = {
  words: ['delete'],
  summary: 'Delete the objects defined in a file',
  details: [...FORM_DETAILS, 'Objects that do not exist are listed; they are not an error.'],
  options: { file: FILE_OPTION, ...NAMESPACE_OPTION, ...DELETE_OPTIONS },
  examples: [['monctl delete -f checks.yml --namespace staging', 'objects created by monctl create -f']],
  async run(call) {
    await forEachObject(call, 'delete', async (v2, _object, path) => ({
      outcome: (await v2.remove(path)) ? 'Deleted' : 'Not found',
      warnings: [],
    }));
  },
};

interface ObjectOutcome {
  readonly outcome: string;
  /** Warnings of the backend about attributes that do not have the effect that their names suggest. */
  readonly warnings: readonly string[];
}

type ProcessObject = (v2: V2Client, object: WrappedObject, path: readonly string[]) => Promise<ObjectOutcome>;

/**
 * Runs `act` for each object of the file and prints the outcomes; with `--dry-run` only shows the effects.
 *
 * @throws ExitError when some of the objects are rejected
 */
async function forEachObject(call: CommandCall, verb: 'create' | 'delete', act: ProcessObject): Promise<void> {
  const objects = await objectsOf(call);
  const { flags, output } = call;
  if (flags.switch('dry-run') === true) {
    await printPreview(call, verb, objects);
    return;
  }
  if (verb === 'delete') {
    await confirmChange(
      call,
      `delete ${countedNoun(objects.length, 'objects')}`,
      () => objects.map(nameText),
      'Canceled',
    );
  }
  let failures = 0;
  let last: MonError | undefined;
  // Objects are deleted in reverse order, because later objects depend on earlier objects.
  for (const object of verb === 'delete' ? objects.toReversed() : objects) {
    const done = await catchObjectError(async () => act(call.v2(), object, pathOfObject(object)));
    if (done instanceof MonError) {
      failures++;
      last = done;
    }
    const [outcome, reason] = done instanceof MonError ? ['Rejected', done.message] : [done.outcome, undefined];
    const warnings = done instanceof MonError || done.warnings.length === 0 ? undefined : done.warnings;
    const name = nameText(object);
    for (const warning of warnings ?? []) output.note(`${name}: ${warning}`);
    await output.showNext({ outcome, object: name, reason, warnings }, () =>
      safeLine(`${outcome} ${name}${reason === undefined ? '' : `: ${reason}`}`),
    );
  }
  if (last !== undefined && objects.length === 1) throw last;
  if (failures > 0) {
    throw new ExitError(
      EXIT_CODES.incomplete,
      `${String(failures)} of ${countedNoun(objects.length, 'objects')} rejected`,
    );
  }
}

/** The effect that an object of the file would have on the backend, for `--dry-run`. */
interface ObjectPreview {
  readonly outcome: 'create' | 'update' | 'unchanged' | 'delete' | 'not there' | 'refused';
  readonly object: string;
  /** Names of the attributes that would change. Their values are not shown, because they may contain secrets. */
  readonly fields?: readonly string[];
  readonly reason?: string;
}

/**
 * Prints the effect that each object would have on the backend, for `--dry-run`.
 *
 * @throws ExitError when some of the objects would be refused
 */
async function printPreview(
  call: CommandCall,
  verb: 'create' | 'delete',
  objects: readonly WrappedObject[],
): Promise<void> {
  const foreseen: ObjectPreview[] = [];
  for (const object of objects) {
    const outcome = await catchObjectError(async () => predictOutcome(call.v2(), verb, object));
    foreseen.push(
      outcome instanceof MonError
        ? { outcome: 'refused', object: nameText(object), reason: outcome.message }
        : { ...outcome, object: nameText(object) },
    );
  }
  await call.output.show({ dry_run: true, objects: foreseen }, () =>
    safeText([...foreseen.map((one) => foreseenText(one)), 'nothing was sent'].join('\n')),
  );
  const refused = foreseen.filter(({ outcome }) => outcome === 'refused').length;
  if (refused > 0) {
    throw new ExitError(
      EXIT_CODES.incomplete,
      `${String(refused)} of ${countedNoun(objects.length, 'objects')} would be refused`,
    );
  }
}

async function predictOutcome(
  v2: V2Client,
  verb: 'create' | 'delete',
  object: WrappedObject,
): Promise<Omit<ObjectPreview, 'object'>> {
  const present = await v2.find(pathOfObject(object));
  if (verb === 'delete') return { outcome: present === undefined ? 'not there' : 'delete' };
  refuseExactState(object);
  if (present === undefined) return { outcome: 'create' };
  // States and API keys are never compared with the backend: sending an event always adds a result, and for the other
  // types the API returns more or fewer attributes than were sent.
  if (isState(object) || object.type === 'APIKey') return { outcome: 'update' };
  const fields = changedFields(present, toShownForm(object));
  return fields.length === 0 ? { outcome: 'unchanged' } : { outcome: 'update', fields };
}

/** Converts a definition to the form in which the backend returns it, so that both can be compared. */
function toShownForm(object: WrappedObject): Attributes {
  const definition = withCommandText(unwrapObject(object));
  const references = definition['pipelines'];
  if (object.type !== 'CheckConfig' || !Array.isArray(references)) return definition;
  const named = { type: 'Pipeline', api_version: 'core/v2' };
  return { ...definition, pipelines: references.map((one: object) => Object.assign({}, named, one)) };
}

function foreseenText({ outcome, object, fields, reason }: ObjectPreview): string {
  switch (outcome) {
    case 'unchanged':
    case 'not there':
      return `${outcome} ${object}`;
    case 'refused':
      return `would be refused: ${object}: ${reason ?? ''}`;
    default:
      return `would ${outcome} ${object}${fields === undefined ? '' : `: ${fields.join(', ')}`}`;
  }
}

/**
 * Runs `act` for one object.
 *
 * @returns the result of `act`, or its error if the error concerns only this object
 * @throws errors that concern all objects, such as `unavailable`
 */
async function catchObjectError<Result>(act: () => Promise<Result>): Promise<Result | MonError> {
  try {
    return await act();
  } catch (error) {
    const isOwn = error instanceof MonError && !['unavailable', 'unauthenticated', 'internal'].includes(error.code);
    if (isOwn) return error;
    throw error;
  }
}

async function objectsOf(call: CommandCall): Promise<readonly WrappedObject[]> {
  const path = call.flags.value('file');
  if (path === undefined) throw new MonError('invalid', 'set the file: --file FILE, or - for standard input');
  const chunks = path === '-' ? Readable.from([Buffer.from(await call.readInput())]) : openFile(path);
  const objects: WrappedObject[] = [];
  for await (const item of readObjects(chunks, path === '-' ? 'standard input' : path)) {
    if (item.kind !== 'object') continue;
    objects.push(withDefaultNamespace(item.object, call));
    if (objects.length > OBJECTS_MAX) {
      throw new MonError('too_large', `${path} contains more than ${String(OBJECTS_MAX)} objects: use monctl restore`);
    }
  }
  if (objects.length === 0) throw new MonError('invalid', `${path} contains no objects`);
  return objects;
}

function withDefaultNamespace(object: WrappedObject, call: CommandCall): WrappedObject {
  const hasNone = typeof object.metadata['namespace'] !== 'string' || object.metadata['namespace'] === '';
  return kindOf(object)?.isNamespaced === true && hasNone ? setNamespace(object, callNamespace(call)) : object;
}

function pathOfObject(object: WrappedObject): readonly string[] {
  // A `TessenConfig` object exists only once and has no name.
  if (object.type === 'TessenConfig') return ['tessen'];
  const kind = kindOf(object);
  const name = wrappedName(object);
  if (kind === undefined) {
    throw new MonError('invalid', skippedReason(object));
  }
  if ('apiVersion' in kind) throw new MonError('invalid', 'use monctl restore for objects of this type');
  if (name === '') throw new MonError('invalid', 'the object has no name');
  return pathOf(kind, namespaceOf(object), name);
}

/**
 * Rejects an object that contains the exact state of a dump: the backend would count it as a new report, and only a
 * restore preserves its state.
 *
 * @throws MonError `invalid` for such an object
 */
function refuseExactState(object: WrappedObject): void {
  if ('mon' in object.spec && isState(object)) {
    throw new MonError('invalid', 'this object is part of an exact dump: use monctl restore');
  }
}

/** Returns true for an object that reports a state, such as an event, and false for a definition, such as a check. */
function isState({ type }: WrappedObject): boolean {
  return type === 'Event' || type === 'Entity' || type === 'Silenced' || type === 'User';
}

function nameText(object: WrappedObject): string {
  const namespace = kindOf(object)?.isNamespaced === true ? `${namespaceOf(object)}/` : '';
  return `${object.type} ${namespace}${shownName(object)}`;
}
