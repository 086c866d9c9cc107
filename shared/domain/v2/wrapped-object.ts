import { isAttributes } from '../attributes.ts';

/**
 * An object as it is written in files: `{type, api_version, metadata, spec}` (completion 1.17). For `core/v2`, the API
 * itself returns `metadata` and the attributes of `spec` in one object.
 */
export interface WrappedObject {
  readonly type: string;
  readonly api_version: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A type of objects that can be exported to a file and imported. */
export interface WrappedKind {
  readonly type: string;
  /** The API version of the type, if it is not `core/v2`: the v2 API does not know the type. */
  readonly apiVersion?: 'mon/v1';
  /** Last part of the API path for a list of these objects, and the name of the type on the command line: `checks`. */
  readonly path: string;
  readonly isNamespaced: boolean;
}

const V2_VERSION = 'core/v2';

/** All types of objects in dumps, in the order of a restore: objects of a type refer only to those of earlier types. */
export const WRAPPED_KINDS = [
  { type: 'Namespace', path: 'namespaces', isNamespaced: false },
  { type: 'ClusterRole', path: 'clusterroles', isNamespaced: false },
  { type: 'ClusterRoleBinding', path: 'clusterrolebindings', isNamespaced: false },
  { type: 'Role', path: 'roles', isNamespaced: true },
  { type: 'RoleBinding', path: 'rolebindings', isNamespaced: true },
  { type: 'EventFilter', path: 'filters', isNamespaced: true },
  { type: 'Mutator', path: 'mutators', isNamespaced: true },
  { type: 'Handler', path: 'handlers', isNamespaced: true },
  { type: 'Pipeline', path: 'pipelines', isNamespaced: true },
  { type: 'Asset', path: 'assets', isNamespaced: true },
  { type: 'HookConfig', path: 'hooks', isNamespaced: true },
  { type: 'CheckConfig', path: 'checks', isNamespaced: true },
  { type: 'Silenced', path: 'silenced', isNamespaced: true },
  { type: 'Entity', path: 'entities', isNamespaced: true },
  { type: 'Event', path: 'events', isNamespaced: true },
  { type: 'OnCallOverride', path: 'on-call-overrides', isNamespaced: true, apiVersion: 'mon/v1' },
  // These types are last, because a backend without credentials requires a login as soon as one of them exists.
  { type: 'User', path: 'users', isNamespaced: false },
  { type: 'APIKey', path: 'apikeys', isNamespaced: false },
] as const satisfies readonly WrappedKind[];

type DumpedKind = (typeof WRAPPED_KINDS)[number];
export type DumpedType = DumpedKind['type'];

const KIND_BY_TYPE: ReadonlyMap<string, DumpedKind> = new Map(WRAPPED_KINDS.map((kind) => [kind.type, kind]));

/** Returns the type of an object; undefined if the type is unknown. */
export function kindOf({ type, api_version }: Pick<WrappedObject, 'type' | 'api_version'>): DumpedKind | undefined {
  const kind = KIND_BY_TYPE.get(type);
  return kind !== undefined && api_version === apiVersionOf(kind) ? kind : undefined;
}

function apiVersionOf({ apiVersion }: WrappedKind): string {
  return apiVersion ?? V2_VERSION;
}

/**
 * Returns the type with any of these names: `core/v2.CheckConfig`, `CheckConfig`, `checks`, `check`, in any case;
 * undefined if there is none.
 */
export function kindNamed(typed: string): DumpedKind | undefined {
  const name = typed.toLowerCase().replace(/^(?:core\/v2|mon\/v1)\./, '');
  return WRAPPED_KINDS.find(({ type, path }) =>
    [type.toLowerCase(), path, path.replace(/ies$/, 'y').replace(/s$/, '')].includes(name),
  );
}

/** Converts an object of the API to its form in files. */
export function wrapObject(kind: WrappedKind, object: Readonly<Record<string, unknown>>): WrappedObject {
  const { metadata, ...spec } = object;
  return { type: kind.type, api_version: apiVersionOf(kind), metadata: isAttributes(metadata) ? metadata : {}, spec };
}

/** Converts an object from a file to its API form. */
export function unwrapObject({ type, metadata, spec }: WrappedObject): Readonly<Record<string, unknown>> {
  // Namespaces and users have no metadata in the API, so the metadata in a file is dropped.
  return type === 'Namespace' || type === 'User' ? spec : { ...spec, metadata };
}

/**
 * Returns the namespace of an object from a file, by default `default`; `''` if objects of its type have no namespace.
 */
export function namespaceOf(wrapped: WrappedObject): string {
  if (kindOf(wrapped)?.isNamespaced === false) return '';
  const { metadata, spec } = wrapped;
  const [entity, check] = [readMetadata(spec['entity']), readMetadata(spec['check'])];
  return (
    nonEmptyText(metadata['namespace']) ??
    nonEmptyText(entity['namespace']) ??
    nonEmptyText(check['namespace']) ??
    'default'
  );
}

/** Returns a copy of an object with this namespace in its metadata. */
export function setNamespace<Item extends { readonly metadata: object }>(
  item: Item,
  namespace: string,
): Item & { readonly metadata: Item['metadata'] & { readonly namespace: string } } {
  return { ...item, metadata: { ...item.metadata, namespace } };
}

/**
 * Returns the name that identifies an object within its type and namespace: `ENTITY/CHECK` for an event,
 * `SUBSCRIPTION:CHECK` for a silence without a name, otherwise its name; `''` if the object has no name.
 */
export function wrappedName({ type, metadata, spec }: WrappedObject): string {
  switch (type) {
    case 'Namespace':
      return nonEmptyText(spec['name']) ?? nonEmptyText(metadata['name']) ?? '';
    case 'User':
      return nonEmptyText(spec['username']) ?? nonEmptyText(metadata['name']) ?? '';
    case 'Event': {
      const parts = [
        nonEmptyText(readMetadata(spec['entity'])['name']),
        nonEmptyText(readMetadata(spec['check'])['name']),
      ];
      return parts.includes(undefined) ? '' : parts.join('/');
    }
    case 'Silenced':
      return (
        nonEmptyText(metadata['name']) ??
        `${nonEmptyText(spec['subscription']) ?? '*'}:${nonEmptyText(spec['check']) ?? '*'}`
      );
    default:
      return nonEmptyText(metadata['name']) ?? '';
  }
}

/** Returns the segments of the API path of an object, without the leading `/api/core/v2`. */
export function pathOf(kind: WrappedKind, namespace: string, name: string): readonly string[] {
  // The name of an event has two segments, entity and check; the names of other objects contain no slash.
  const parts = kind.type === 'Event' ? name.split('/') : [name];
  return kind.isNamespaced ? ['namespaces', namespace, kind.path, ...parts] : [kind.path, ...parts];
}

/** Checks that a value from a file has the form `{type, api_version, metadata, spec}`. Returns it, or the problem. */
export function readWrapped(value: unknown): WrappedObject | { readonly problem: string } {
  if (!isAttributes(value)) return { problem: 'is not an object with type, api_version, metadata and spec' };
  const { type, api_version: version, metadata = {}, spec } = value;
  if (typeof type !== 'string' || type === '') return { problem: 'has no type, such as CheckConfig' };
  if (version !== undefined && typeof version !== 'string')
    return { problem: 'has an api_version that is not a string' };
  if (!isAttributes(metadata ?? {})) return { problem: 'has metadata that is not an object' };
  if (!isAttributes(spec)) return { problem: 'has no spec' };
  return { type, api_version: version ?? V2_VERSION, metadata: (metadata ?? {}) as WrappedObject['metadata'], spec };
}

function readMetadata(value: unknown): Readonly<Record<string, unknown>> {
  const metadata = isAttributes(value) ? value['metadata'] : undefined;
  return isAttributes(metadata) ? metadata : {};
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Whether an object is an entity that counts toward `entity-limit`. An entity in a dump does not count if the v1 API
 * created it (completion 1.22).
 */
export function isCountedEntity({ type, spec }: WrappedObject): boolean {
  const exact = spec['mon'] as { readonly isCounted?: unknown } | null | undefined;
  return type === 'Entity' && exact?.isCounted !== false;
}

/** Returns an object in the form that is used in dumps: `{type, api_version, metadata, spec}`. */
export function wrappedOf(
  type: DumpedType,
  metadata: WrappedObject['metadata'],
  spec: WrappedObject['spec'],
): WrappedObject {
  const kind = KIND_BY_TYPE.get(type);
  return { type, api_version: kind === undefined ? V2_VERSION : apiVersionOf(kind), metadata, spec };
}
