import type { FastifyReply, FastifyRequest } from 'fastify';
import { meetsPreconditions } from '../../../shared/domain/v2/etag.ts';
import { mergePatch } from '../../../shared/domain/v2/merge-patch.ts';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { warningHeader } from '../../../shared/domain/warning-header.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { SubmittedV2Object } from '../../../shared/schemas/v2/metadata.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { actorOf } from '../access/actor.ts';
import { maySeeNamespace } from '../access/principal.ts';
import { parseBody } from './json-body.ts';
import { matchedRoute } from './request.ts';
import type { Handler } from './route.ts';
import { alreadyExists, doesNotExist } from './v2-errors.ts';
import { etagOf, mergePatchOf, preconditionsOf, refuseUnless, sendObject } from './v2-object-response.ts';
import { sendObjects, type ObjectSource, type V2Key } from './v2-object-list.ts';

/**
 * The operations on objects of one kind; `objectHandlers` turns them into route handlers. `S` is the type of submitted,
 * validated objects. `T` is the type of stored objects, which include their namespace.
 */
export interface Collection<T extends object, S extends object = T> extends ObjectSource<T> {
  /** True for objects without a namespace: `get`, `write` and `remove` are called with an empty namespace. */
  readonly isClusterWide?: boolean;
  /**
   * Yields namespaces that do not exist but still have objects. Lists of all namespaces include them, so that a caller
   * can find such objects (reference 9.3). Absent if there can be no such namespaces.
   */
  orphanNamespaces?(): Iterable<string>;
  /**
   * True if `POST` replaces an existing object, because each request reports the new state of the object. If false, a
   * `POST` for an existing object is a conflict.
   */
  readonly isReplacedByPost?: boolean;
  /**
   * True if an object without a namespace in its body belongs to the namespace in the path. If false, such an object is
   * rejected, as in Sensu Go.
   */
  readonly isPlacedByPath?: boolean;
  /**
   * True if a PUT stores the object under the name in the body, whatever name is in the path. Sensu Go does so for
   * these kinds.
   */
  readonly isNamedByBody?: boolean;
  /**
   * Returns the key for the name in a path, for kinds whose objects can be named in several ways; absent if the path
   * contains the key itself.
   */
  keyOfPath?(key: V2Key): V2Key;
  /**
   * Returns the key in a submitted body, which must match the key in the path; absent if the key of the stored object
   * must match instead.
   */
  sentKeyOf?(submitted: S): V2Key;
  /** Returns the creator that a submitted object names, for the audit trail (see `actorOf`). */
  creatorOf?(submitted: S): string | null | undefined;
  /**
   * Validates the body of a request.
   *
   * @param key key in the path; empty if the path contains none
   * @throws MonError `invalid`
   */
  parse(value: unknown, key: V2Key): S;
  /** Returns the namespace that a submitted body contains; null, undefined or empty if it contains none. */
  namespaceOf(submitted: S): string | null | undefined;
  /** Returns a submitted object as it is stored, with its namespace. */
  withNamespace(submitted: S, namespace: string): T;
  get(namespace: string, key: V2Key): T | undefined | Promise<T | undefined>;
  /**
   * Stores the result of `change`; resolves after the commit.
   *
   * @param change callback that gets the current object and returns the new object. It runs in the transaction, is
   *   synchronous and can run more than once. An error that it throws rejects the change
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
   * Removes an object; resolves after the commit.
   *
   * @param check callback that gets the current object and throws to reject the removal; it runs like `change` of
   *   `write`
   * @throws MonError `not_found`, `conflict`, `unavailable`
   */
  remove(
    namespace: string,
    key: V2Key,
    check: (present: T) => void,
    actor: Actor,
    request: FastifyRequest,
  ): Promise<void>;
  /**
   * Returns the body of a response to POST or PUT with status 200, for kinds where Sensu Go returns the submitted
   * object. If absent, the response has status 201 and no body.
   */
  echo?(submitted: T): object;
  /** Returns the body of the response to a PATCH; if absent, the body is the object as other responses show it. */
  showPatched?(object: T): object;
  /** Returns warnings about a stored object, for the header `Warning`. */
  warningsOf?(object: T): readonly string[];
  /** Returns additional headers for all responses about objects of this kind. */
  headers?(): Readonly<Record<string, string>>;
}

/** Functions that return the namespace, key and labels of objects with metadata. */
export const METADATA_ACCESSORS = {
  namespaceOf: ({ metadata }: SubmittedV2Object): string | null | undefined => metadata.namespace,
  keyOf: ({ metadata }: SubmittedV2Object): V2Key => [metadata.name],
  labelsOf: ({ metadata }: SubmittedV2Object): Attributes => metadata.labels ?? {},
};

/** Provides the names of the declared namespaces. */
export interface NamespaceSource {
  readonly registry: { readonly declared: { names(): readonly string[]; has(name: string): boolean } };
}

/** The handlers for objects of one kind: for lists, and for single objects by name. */
type ObjectHandlers = Readonly<
  Record<'listAll' | 'createAnywhere' | 'list' | 'create' | 'get' | 'put' | 'patch' | 'post' | 'remove', Handler>
>;

/** Returns the handlers for objects of one kind. The table of endpoints decides which of these handlers are served. */
export function objectHandlers<T extends object, S extends object>(
  deps: NamespaceSource,
  collection: Collection<T, S>,
): ObjectHandlers {
  const { isClusterWide = false } = collection;
  const addHeaders = (reply: FastifyReply): FastifyReply => reply.headers(collection.headers?.() ?? {});

  const addWriteHeaders = (reply: FastifyReply, object: T): FastifyReply => {
    const warnings = collection.warningsOf?.(object) ?? [];
    return warnings.length === 0 ? addHeaders(reply) : addHeaders(reply).header('Warning', warningHeader(warnings));
  };

  const sendStored = (reply: FastifyReply, object: T): FastifyReply =>
    collection.echo === undefined ? reply.code(201).send() : reply.code(200).send(collection.echo(object));

  /**
   * Returns the namespace in a submitted body; undefined, null or empty if there is none.
   *
   * @throws MonError `invalid` if it is required and missing
   */
  const namespaceIn = (request: FastifyRequest, submitted: S): string | null | undefined => {
    const named = collection.namespaceOf(submitted);
    const inPath = pathPart(request, 'namespace');
    if (named || inPath === '' || collection.isPlacedByPath === true) return named;
    throw new MonError('invalid', `metadata.namespace: must be ${inPath}, as in the path`);
  };

  const listedNamespaces = (request: FastifyRequest): readonly string[] =>
    isClusterWide ? [''] : visibleNamespaces(request, deps, collection.orphanNamespaces?.());

  const answer = (request: FastifyRequest, reply: FastifyReply, object: T): FastifyReply =>
    sendObject(request, addHeaders(reply), object, collection.show?.(object, request.principal) ?? object);

  const post = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { key: inPath } = addressOf(request, collection);
    const submitted = collection.parse(parseBody(request).value, inPath);
    const namespace = isClusterWide ? '' : requiredNamespace(request, deps, namespaceIn(request, submitted));
    const object = collection.withNamespace(submitted, namespace);
    const key = collection.keyOf(object);
    if (inPath.length > 0) refuseOtherKey(collection.sentKeyOf?.(submitted) ?? key, inPath);
    const actor = actorOf(request, collection.creatorOf?.(submitted));
    const written = await write(request, namespace, key, actor, (present) => {
      if (present !== undefined && collection.isReplacedByPost !== true) throw alreadyExists();
      return object;
    });
    return sendStored(addWriteHeaders(reply, written), object);
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
    if (!isClusterWide) requiredNamespace(request, deps, namespaceIn(request, submitted));
    const object = collection.withNamespace(submitted, namespace);
    const named = collection.keyOf(object);
    if (collection.isNamedByBody !== true) refuseOtherKey(collection.sentKeyOf?.(submitted) ?? named, key);
    const preconditions = preconditionsOf(request);
    const actor = actorOf(request, collection.creatorOf?.(submitted));
    const written = await write(request, namespace, named, actor, (present) => {
      refuseUnless(meetsPreconditions(preconditions, present === undefined ? undefined : etagOf(present)));
      return object;
    });
    return sendStored(addWriteHeaders(reply, written).header('ETag', etagOf(written)), object);
  };

  const patch = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const value = mergePatchOf(request);
    const { namespace, key } = addressOf(request, collection);
    const preconditions = preconditionsOf(request);
    const written = await write(request, namespace, key, actorOf(request), (present) => {
      if (present === undefined) throw doesNotExist();
      refuseUnless(meetsPreconditions(preconditions, etagOf(present)));
      const submitted = collection.parse(mergePatch(present, value), key);
      refuseOtherNamespace(isClusterWide ? undefined : collection.namespaceOf(submitted), namespace);
      const object = collection.withNamespace(submitted, namespace);
      refuseOtherKey(collection.keyOf(object), key);
      return object;
    });
    const shown = collection.showPatched?.(written) ?? collection.show?.(written, request.principal) ?? written;
    return sendObject(request, addWriteHeaders(reply, written), written, shown);
  };

  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { namespace, key } = addressOf(request, collection);
    const object = await collection.get(namespace, key);
    if (object === undefined) throw doesNotExist();
    return answer(request, reply, object);
  };

  const remove = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { namespace, key } = addressOf(request, collection);
    const preconditions = preconditionsOf(request);
    const refuseStale = (present: T): void => refuseUnless(meetsPreconditions(preconditions, etagOf(present)));
    await collection.remove(namespace, key, refuseStale, actorOf(request), request);
    return addHeaders(reply).code(204).send();
  };

  const list = (request: FastifyRequest, reply: FastifyReply, namespaces: readonly string[]): Promise<FastifyReply> =>
    sendObjects(request, addHeaders(reply), namespaces, collection);

  return {
    listAll: (request, reply) => list(request, reply, listedNamespaces(request)),
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
 * Returns the namespaces whose objects the caller is allowed to see, sorted by name.
 *
 * @param others names of namespaces that do not exist, but are included
 */
export function visibleNamespaces(
  { principal }: Pick<FastifyRequest, 'principal'>,
  { registry }: NamespaceSource,
  others: Iterable<string> = [],
): readonly string[] {
  const names = new Set([...registry.declared.names(), ...others]);
  return [...names].filter((name) => maySeeNamespace(principal, name)).toSorted();
}

/** Returns a named part in the path of a request, such as `:client`, decoded once; an empty string if there is none. */
export function pathPart(request: FastifyRequest, part: string): string {
  return (request.params as Readonly<Record<string, string>>)[part] ?? '';
}

/**
 * Returns the namespace of an object to be stored: from the path, else from the body, else `default`.
 *
 * @throws MonError `invalid` if path and body contain different namespaces; `not_found` if the namespace does not
 *   exist, or the caller is not allowed to see it
 */
function requiredNamespace(
  request: FastifyRequest,
  { registry }: NamespaceSource,
  inBody: string | null | undefined,
): string {
  const inPath = pathPart(request, 'namespace') || undefined;
  if (inPath !== undefined) refuseOtherNamespace(inBody, inPath);
  const namespace = inPath ?? (inBody || DEFAULT_NAMESPACE);
  if (maySeeNamespace(request.principal, namespace) && registry.declared.has(namespace)) return namespace;
  throw new MonError('not_found', `the namespace ${namespace} does not exist`);
}

function refuseOtherNamespace(inBody: string | null | undefined, inPath: string): void {
  if (!inBody || inBody === inPath) return;
  throw new MonError(
    'invalid',
    `the namespace in the body, ${inBody}, differs from the namespace in the path, ${inPath}`,
  );
}

function refuseOtherKey(inBody: V2Key, inPath: V2Key): void {
  if (inBody.length === inPath.length && inBody.every((part, at) => part === inPath[at])) return;
  throw new MonError(
    'invalid',
    `the name in the body, ${inBody.join('/')}, differs from the name in the path, ${inPath.join('/')}`,
  );
}

function addressOf(
  request: FastifyRequest,
  { keyOfPath = (key) => key }: Pick<Collection<object>, 'keyOfPath'>,
): { namespace: string; key: V2Key } {
  const { nameParameters = [] } = matchedRoute(request).role ?? {};
  const parts = nameParameters.map((part) => pathPart(request, part));
  const key = parts.length === 0 ? [] : keyOfPath(parts);
  return { namespace: pathPart(request, 'namespace'), key };
}
