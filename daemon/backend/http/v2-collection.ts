import type { FastifyReply, FastifyRequest } from 'fastify';
import { meets } from '../../../shared/domain/v2/etag.ts';
import { mergePatch } from '../../../shared/domain/v2/merge-patch.ts';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { warningHeader } from '../../../shared/domain/warning-header.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { V2Metadata, V2Object, SubmittedV2Object } from '../../../shared/schemas/v2/metadata.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { actorOf } from '../access/actor.ts';
import { maySee } from '../access/principal.ts';
import { parseBody } from './json-body.ts';
import { matchedRoute } from './request.ts';
import type { Handler } from './route.ts';
import { alreadyExists, notFound } from './v2-errors.ts';
import { etagOf, mergePatchOf, preconditionsOf, refuseUnless, sendObject } from './v2-object-answer.ts';
import { sendObjects, type ObjectSource, type V2Key } from './v2-object-list.ts';

/**
 * Objects of one kind, as the router needs them. `S` is what is sent and was validated, `T` what is stored and shown, which
 * has its namespace.
 */
export interface Collection<T extends object, S extends object = T> extends ObjectSource<T> {
  /** Objects that are in no namespace: `get` and the others are asked for the one of the empty name. */
  readonly isClusterWide?: boolean;
  /**
   * Of lists of all namespaces: where there are objects though the namespace does not exist, so that whoever looks for such
   * objects finds them (reference 9.3). Absent: there can be none.
   */
  orphanNamespaces?(): Iterable<string>;
  /** Whether `POST` takes the place of what is there: each is news of the same thing. */
  readonly isReplacedByPost?: boolean;
  /** Whether a body that names no namespace is of the one of the path; the others are refused, as by the peer. */
  readonly isPlacedByPath?: boolean;
  /** Whether a PUT stores what the body names, whatever its path says, as the peer does for these. */
  readonly isNamedByBody?: boolean;
  /** The key that a path means, where several ways to write it do; absent: the path has it as it is. */
  keyOfPath?(key: V2Key): V2Key;
  /** The key that a body names, as the path of a PUT must have it; absent: the one that it is stored by. */
  sentKeyOf?(submitted: S): V2Key;
  /** Whom the object names as its maker, which counts only where nobody has to show credentials. */
  creatorOf?(submitted: S): string | null | undefined;
  /**
   * The body of a request, validated.
   *
   * @param key of the path; empty for a path without one
   * @throws MonError `invalid`
   */
  parse(value: unknown, key: V2Key): S;
  /** The namespace that the body itself names. */
  namespaceOf(submitted: S): string | null | undefined;
  /** The object in its namespace. */
  place(submitted: S, namespace: string): T;
  get(namespace: string, key: V2Key): T | undefined | Promise<T | undefined>;
  /**
   * Stores what `change` makes of the object that is there; settles after the commit.
   *
   * @param change runs in the transaction, perhaps more than once, and cannot wait; what it throws refuses the change
   * @throws MonError `invalid`, `conflict`, `not_found`, `unavailable`, `payment_required`
   */
  write(
    namespace: string,
    key: V2Key,
    change: (present: T | undefined) => T,
    actor: Actor,
    request: FastifyRequest,
  ): Promise<T>;
  /**
   * @param check as `change`: refuses by throwing
   * @throws MonError `not_found`, `conflict`, `unavailable`
   */
  remove(
    namespace: string,
    key: V2Key,
    check: (present: T) => void,
    actor: Actor,
    request: FastifyRequest,
  ): Promise<void>;
  /** What answers a POST or PUT, with 200: of these the peer gives back what was sent. Absent: nothing, with 201. */
  echo?(submitted: T): object;
  /** What answers a PATCH; absent: the object. */
  showPatched?(object: T): object;
  /** What whoever stores such an object should know; told in the header `Warning`. */
  warningsOf?(object: T): readonly string[];
  /** For the answers about these objects. */
  headers?(): Readonly<Record<string, string>>;
}

/** How objects with metadata tell their namespace, name and labels. */
export const WITH_METADATA = {
  namespaceOf: ({ metadata }: SubmittedV2Object): string | null | undefined => metadata.namespace,
  keyOf: ({ metadata }: SubmittedV2Object): V2Key => [metadata.name],
  labelsOf: ({ metadata }: SubmittedV2Object): Attributes => metadata.labels ?? {},
};

/** The object with its namespace in its metadata, everything else as and where it was. */
export function inNamespace<S extends SubmittedV2Object>(submitted: S, namespace: string): S & V2Object {
  const metadata: V2Metadata = { ...submitted.metadata, namespace };
  return { ...submitted, metadata };
}

/** The namespaces that there are. */
export interface DeclaredNamespaces {
  readonly registry: { readonly declared: { names(): readonly string[]; has(name: string): boolean } };
}

/** What can be done with objects of a kind: with its lists, and with each object by its name. */
type ObjectHandlers = Readonly<
  Record<'listAll' | 'createAnywhere' | 'list' | 'create' | 'get' | 'put' | 'patch' | 'post' | 'remove', Handler>
>;

/** What is done with objects of a kind; the table says which of it can be asked for. */
export function objectHandlers<T extends object, S extends object>(
  deps: DeclaredNamespaces,
  collection: Collection<T, S>,
): ObjectHandlers {
  const { isClusterWide = false } = collection;
  const tell = (reply: FastifyReply): FastifyReply => reply.headers(collection.headers?.() ?? {});

  const tellStored = (reply: FastifyReply, object: T): FastifyReply => {
    const warnings = collection.warningsOf?.(object) ?? [];
    return warnings.length === 0 ? tell(reply) : tell(reply).header('Warning', warningHeader(warnings));
  };

  const sendStored = (reply: FastifyReply, object: T): FastifyReply =>
    collection.echo === undefined ? reply.code(201).send() : reply.code(200).send(collection.echo(object));

  /** The namespace that a body names; @throws MonError `invalid` where it must and does not */
  const namespaceIn = (request: FastifyRequest, submitted: S): string | null | undefined => {
    const named = collection.namespaceOf(submitted);
    const inPath = pathPart(request, 'namespace');
    if (named || inPath === '' || collection.isPlacedByPath === true) return named;
    throw new MonError('invalid', `metadata.namespace: must be ${inPath}, as in the path`);
  };

  const everywhere = (request: FastifyRequest): readonly string[] =>
    isClusterWide ? [''] : visibleNamespaces(request, deps, collection.orphanNamespaces?.());

  const answer = (request: FastifyRequest, reply: FastifyReply, object: T): FastifyReply =>
    sendObject(request, tell(reply), object, collection.show?.(object, request.principal) ?? object);

  const post = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { key: inPath } = addressOf(request, collection);
    const submitted = collection.parse(parseBody(request).value, inPath);
    const namespace = isClusterWide ? '' : namespaceFor(request, deps, namespaceIn(request, submitted));
    const object = collection.place(submitted, namespace);
    const key = collection.keyOf(object);
    if (inPath.length > 0) refuseOtherKey(collection.sentKeyOf?.(submitted) ?? key, inPath);
    const actor = actorOf(request, collection.creatorOf?.(submitted));
    const written = await write(request, namespace, key, actor, (present) => {
      if (present !== undefined && collection.isReplacedByPost !== true) throw alreadyExists();
      return object;
    });
    return sendStored(tellStored(reply, written), object);
  };

  const write = (
    request: FastifyRequest,
    namespace: string,
    key: V2Key,
    actor: Actor,
    change: (present: T | undefined) => T,
  ): Promise<T> => collection.write(namespace, key, change, actor, request);

  const put = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { namespace, key } = addressOf(request, collection);
    const submitted = collection.parse(parseBody(request).value, key);
    if (!isClusterWide) namespaceFor(request, deps, namespaceIn(request, submitted));
    const object = collection.place(submitted, namespace);
    const named = collection.keyOf(object);
    if (collection.isNamedByBody !== true) refuseOtherKey(collection.sentKeyOf?.(submitted) ?? named, key);
    const preconditions = preconditionsOf(request);
    const actor = actorOf(request, collection.creatorOf?.(submitted));
    const written = await write(request, namespace, named, actor, (present) => {
      refuseUnless(meets(preconditions, present === undefined ? undefined : etagOf(present)));
      return object;
    });
    return sendStored(tellStored(reply, written).header('ETag', etagOf(written)), object);
  };

  const patch = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const value = mergePatchOf(request);
    const { namespace, key } = addressOf(request, collection);
    const preconditions = preconditionsOf(request);
    const written = await write(request, namespace, key, actorOf(request), (present) => {
      if (present === undefined) throw notFound();
      refuseUnless(meets(preconditions, etagOf(present)));
      const submitted = collection.parse(mergePatch(present, value), key);
      refuseOtherNamespace(isClusterWide ? undefined : collection.namespaceOf(submitted), namespace);
      const object = collection.place(submitted, namespace);
      refuseOtherKey(collection.keyOf(object), key);
      return object;
    });
    const shown = collection.showPatched?.(written) ?? collection.show?.(written, request.principal) ?? written;
    return sendObject(request, tellStored(reply, written), written, shown);
  };

  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { namespace, key } = addressOf(request, collection);
    const object = await collection.get(namespace, key);
    if (object === undefined) throw notFound();
    return answer(request, reply, object);
  };

  const remove = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { namespace, key } = addressOf(request, collection);
    const preconditions = preconditionsOf(request);
    const refuseStale = (present: T): void => refuseUnless(meets(preconditions, etagOf(present)));
    await collection.remove(namespace, key, refuseStale, actorOf(request), request);
    return tell(reply).code(204).send();
  };

  const list = (request: FastifyRequest, reply: FastifyReply, namespaces: readonly string[]): Promise<FastifyReply> =>
    sendObjects(request, tell(reply), namespaces, collection);

  return {
    listAll: (request, reply) => list(request, reply, everywhere(request)),
    createAnywhere: post,
    list: (request, reply) => list(request, reply, [pathPart(request, 'namespace')]),
    create: post,
    get,
    put,
    patch,
    post: put,
    remove,
  };
}

/**
 * The namespaces whose objects the caller may see, in their order.
 *
 * @param others that do not exist, and count all the same
 */
export function visibleNamespaces(
  { principal }: Pick<FastifyRequest, 'principal'>,
  { registry }: DeclaredNamespaces,
  others: Iterable<string> = [],
): readonly string[] {
  const names = new Set([...registry.declared.names(), ...others]);
  return [...names].filter((name) => maySee(principal, name)).toSorted();
}

/** A part of the path, decoded once; without it the empty text. */
export function pathPart(request: FastifyRequest, part: string): string {
  return (request.params as Readonly<Record<string, string>>)[part] ?? '';
}

/**
 * The namespace that a request to store something is about: the one of the path, else the one that the body names, else
 * `default`.
 *
 * @throws MonError `invalid` when path and body differ; `not_found` when there is none, or none that the caller may see
 */
function namespaceFor(
  request: FastifyRequest,
  { registry }: DeclaredNamespaces,
  inBody: string | null | undefined,
): string {
  const inPath = pathPart(request, 'namespace') || undefined;
  if (inPath !== undefined) refuseOtherNamespace(inBody, inPath);
  const namespace = inPath ?? (inBody || DEFAULT_NAMESPACE);
  if (maySee(request.principal, namespace) && registry.declared.has(namespace)) return namespace;
  throw new MonError('not_found', `the namespace ${namespace} does not exist`);
}

function refuseOtherNamespace(inBody: string | null | undefined, inPath: string): void {
  if (!inBody || inBody === inPath) return;
  throw new MonError('invalid', `the namespace of the body, ${inBody}, is not the one of the path, ${inPath}`);
}

function refuseOtherKey(inBody: V2Key, inPath: V2Key): void {
  if (inBody.length === inPath.length && inBody.every((part, at) => part === inPath[at])) return;
  throw new MonError(
    'invalid',
    `the name of the body, ${inBody.join('/')}, is not the one of the path, ${inPath.join('/')}`,
  );
}

function addressOf(
  request: FastifyRequest,
  { keyOfPath = (key) => key }: Pick<Collection<object>, 'keyOfPath'>,
): { namespace: string; key: V2Key } {
  const { named = [] } = matchedRoute(request).role ?? {};
  const parts = named.map((part) => pathPart(request, part));
  const key = parts.length === 0 ? [] : keyOfPath(parts);
  return { namespace: pathPart(request, 'namespace'), key };
}
