import { isAttributes } from '../attributes.ts';

/**
 * The form in which objects stand in files: `{type, api_version, metadata, spec}` (completion 1.17). On the wire the parts
 * are one object, except where another group than `core/v2` is meant.
 */
export interface Wrapped {
  readonly type: string;
  readonly api_version: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A type of `core/v2` that can be written to a file and read from it. */
export interface WrappedKind {
  readonly type: string;
  /** Last part of the path of its list, and as it is typed for short. */
  readonly path: string;
  readonly isNamespaced: boolean;
}

const V2_VERSION = 'core/v2';

/** In the order in which they are restored: each needs at most those before it. */
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
  // Last: from the first of them on, a backend that took everybody asks for credentials.
  { type: 'User', path: 'users', isNamespaced: false },
  { type: 'APIKey', path: 'apikeys', isNamespaced: false },
] as const satisfies readonly WrappedKind[];

export type V2Type = (typeof WRAPPED_KINDS)[number]['type'];

const KIND_BY_TYPE: ReadonlyMap<string, (typeof WRAPPED_KINDS)[number]> = new Map(
  WRAPPED_KINDS.map((kind) => [kind.type, kind]),
);

/** @returns undefined for what is no object of ours */
export function kindOf({
  type,
  api_version,
}: Pick<Wrapped, 'type' | 'api_version'>): (typeof WRAPPED_KINDS)[number] | undefined {
  return api_version === V2_VERSION ? KIND_BY_TYPE.get(type) : undefined;
}

/** A kind as people name it: `core/v2.CheckConfig`, `CheckConfig`, `checks`, `check`, in any letter case. */
export function kindNamed(typed: string): (typeof WRAPPED_KINDS)[number] | undefined {
  const name = typed.toLowerCase().replace(/^core\/v2\./, '');
  return WRAPPED_KINDS.find(({ type, path }) =>
    [type.toLowerCase(), path, path.replace(/ies$/, 'y').replace(/s$/, '')].includes(name),
  );
}

/** An object of the wire as it stands in a file. What is `undefined` is left out. */
export function wrap(kind: WrappedKind, object: Readonly<Record<string, unknown>>): Wrapped {
  const { metadata, ...spec } = object;
  return { type: kind.type, api_version: V2_VERSION, metadata: isAttributes(metadata) ? metadata : {}, spec };
}

/** The object of the wire that a wrapped one stands for. */
export function unwrap({ type, metadata, spec }: Wrapped): Readonly<Record<string, unknown>> {
  // A namespace and a user have no metadata on the wire, whatever a file says.
  return type === 'Namespace' || type === 'User' ? spec : { ...spec, metadata };
}

/** The namespace that an object says it is in; `''` for what is in none. */
export function namespaceOf(wrapped: Wrapped): string {
  if (kindOf(wrapped)?.isNamespaced === false) return '';
  const { metadata, spec } = wrapped;
  const [entity, check] = [metadataIn(spec['entity']), metadataIn(spec['check'])];
  return text(metadata['namespace']) ?? text(entity['namespace']) ?? text(check['namespace']) ?? 'default';
}

/** The same object in another namespace, for files that name none. */
export function inNamespace(wrapped: Wrapped, namespace: string): Wrapped {
  return { ...wrapped, metadata: { ...wrapped.metadata, namespace } };
}

/**
 * What names an object within its type and namespace: `ENTITY/CHECK` of an event, `SUBSCRIPTION:CHECK` of a silence, else
 * its name. `''`: it has none.
 */
export function wrappedName({ type, metadata, spec }: Wrapped): string {
  switch (type) {
    case 'Namespace':
      return text(spec['name']) ?? text(metadata['name']) ?? '';
    case 'User':
      return text(spec['username']) ?? text(metadata['name']) ?? '';
    case 'Event': {
      const parts = [text(metadataIn(spec['entity'])['name']), text(metadataIn(spec['check'])['name'])];
      return parts.includes(undefined) ? '' : parts.join('/');
    }
    case 'Silenced':
      return text(metadata['name']) ?? `${text(spec['subscription']) ?? '*'}:${text(spec['check']) ?? '*'}`;
    default:
      return text(metadata['name']) ?? '';
  }
}

/** Parts of the path of one object below `/api/core/v2`. */
export function pathOf(kind: WrappedKind, namespace: string, name: string): readonly string[] {
  // The entity and the check of an event are parts of their own; no other name has a slash.
  const parts = kind.type === 'Event' ? name.split('/') : [name];
  return kind.isNamespaced ? ['namespaces', namespace, kind.path, ...parts] : [kind.path, ...parts];
}

/** @returns the object, or what is wrong with it */
export function readWrapped(value: unknown): Wrapped | { readonly problem: string } {
  if (!isAttributes(value)) return { problem: 'is no object with type, api_version, metadata and spec' };
  const { type, api_version: version, metadata = {}, spec } = value;
  if (typeof type !== 'string' || type === '') return { problem: 'has no type, such as CheckConfig' };
  if (version !== undefined && typeof version !== 'string') return { problem: 'has an api_version that is no text' };
  if (!isAttributes(metadata ?? {})) return { problem: 'has metadata that is no object' };
  if (!isAttributes(spec)) return { problem: 'has no spec' };
  return { type, api_version: version ?? V2_VERSION, metadata: (metadata ?? {}) as Wrapped['metadata'], spec };
}

function metadataIn(value: unknown): Readonly<Record<string, unknown>> {
  const metadata = isAttributes(value) ? value['metadata'] : undefined;
  return isAttributes(metadata) ? metadata : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether the limit of entities counts it: not what a dump says version 1 has made (completion 1.22). */
export function isCountedEntity({ type, spec }: Wrapped): boolean {
  const exact = spec['mon'] as { readonly isCounted?: unknown } | null | undefined;
  return type === 'Entity' && exact?.isCounted !== false;
}

/** An object as dumps and restores have it. */
export function wrappedOf(type: V2Type, metadata: Wrapped['metadata'], spec: Wrapped['spec']): Wrapped {
  return { type, api_version: V2_VERSION, metadata, spec };
}
