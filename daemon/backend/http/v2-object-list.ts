import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFieldPath, isSelected, parseV2Selector, type V2Selector } from '../../../shared/domain/v2/selectors.ts';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Principal } from '../access/principal.ts';
import { expectCommit } from './hold-reads.ts';
import { arrayText, PIECE_LENGTH, sendPieces, BUFFERED_LENGTH_MAX } from './pieces.ts';
import { queryOf, integerParameter } from './query.ts';

/** Reads the objects that a list endpoint returns. */
export interface ObjectSource<T extends object> {
  /** The prefix of the fields in a field selector, such as `check` in `check.name`. */
  readonly fieldRoot: string;
  /**
   * Returns the objects of a namespace in the order of their keys, in chunks, between which other work can run.
   *
   * @param after key after which the list begins, even if no object has this key any longer; if undefined, the list
   *   begins with the first object
   * @param mayBeSelected callback that returns false if no object with these attributes can be selected, so that the
   *   object need not be built
   */
  list(
    namespace: string,
    after: V2Key | undefined,
    mayBeSelected: (parts: Attributes) => boolean,
  ): Iterable<readonly T[]> | AsyncIterable<readonly T[]>;
  keyOf(object: T): V2Key;
  labelsOf(object: T): Attributes;
  /** Returns the object as the caller is allowed to see it; absent if callers see the whole object. */
  show?(object: T, principal: Principal): T;
  /**
   * Returns true if the caller is allowed to see the object; absent if everyone who can see its namespace can see the
   * object.
   */
  isVisible?(object: T, principal: Principal): boolean;
}

/**
 * The position of the last object on a page. It is a key and not a number, so that the next page does not shift if
 * objects before it are added or removed.
 */
interface ListPosition {
  readonly namespace: string;
  readonly key: V2Key;
}

/** The response header with the token of the next page; absent on the last page (clients 6). */
const CONTINUE_HEADER = 'Sensu-Continue';

/**
 * Sends the objects that the query parameters `fieldSelector` and `labelSelector` select. With `limit` it sends one
 * page of them, which begins after the position in `continue`. A `limit` that is not a number is ignored, as in Sensu
 * Go.
 *
 * @param namespaces namespaces of the objects, in order
 * @throws MonError `invalid` for an invalid selector or position
 */
export async function sendObjects<T extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  namespaces: readonly string[],
  source: ObjectSource<T>,
): Promise<FastifyReply> {
  const query = queryOf(request);
  const limit = integerParameter(query, 'limit') || Infinity;
  const token = query.get('continue') ?? '';
  const after = token === '' ? undefined : positionOf(token);
  const { isSelectedObject, mayBeSelected } = selectObjects(query, source);
  const { principal } = request;
  const shown = (object: T): T => source.show?.(object, principal) ?? object;
  // Selectors are applied to the attributes that the caller can see, so that callers cannot probe redacted attributes.
  const isListed = (object: T): boolean =>
    source.isVisible?.(object, principal) !== false && isSelectedObject(shown(object));

  const keyOf = (object: T): V2Key => source.keyOf(object);
  const { committedState } = request.server;
  const objects = (): ObjectGenerator<T> =>
    filterObjects(objectsOf(namespaces, after, source, mayBeSelected, committedState), isListed);
  if (limit === Infinity) return await sendPieces(request, reply, arrayText(textsOf(objects(), shown)));
  // The token of the next page is sent in a header, so the end of the page must be known before the body is sent. A
  // page that is too long to be buffered until then is built a second time.
  const { last, isMore, texts } = await pageOf(objects(), limit, keyOf, shown);
  const headers = isMore && last !== undefined ? { [CONTINUE_HEADER]: tokenOf(last) } : {};
  const pieces = texts ?? textsOf(takeThrough(objects(), last, keyOf), shown);
  return await sendPieces(request, reply, arrayText(pieces), headers);
}

interface PlacedObject<T> {
  readonly namespace: string;
  readonly object: T;
}

type ObjectGenerator<T> = AsyncGenerator<PlacedObject<T>, void>;

async function* filterObjects<T>(objects: ObjectGenerator<T>, isListed: (object: T) => boolean): ObjectGenerator<T> {
  for await (const placed of objects) if (isListed(placed.object)) yield placed;
}

/** Yields the objects up to and including the object at a position; yields no object if `last` is undefined. */
async function* takeThrough<T>(
  objects: ObjectGenerator<T>,
  last: ListPosition | undefined,
  keyOf: (object: T) => V2Key,
): ObjectGenerator<T> {
  for await (const placed of objects) {
    if (last === undefined || isAfterPosition(placed, last, keyOf)) return;
    yield placed;
  }
}

function isAfterPosition<T>(
  { namespace, object }: PlacedObject<T>,
  last: ListPosition,
  keyOf: (object: T) => V2Key,
): boolean {
  return namespace > last.namespace || (namespace === last.namespace && compareKeys(keyOf(object), last.key) > 0);
}

/**
 * Returns a page of objects: the position of its last object, whether more objects follow, and its objects as JSON.
 * `texts` is undefined if the page is too long to be buffered.
 */
async function pageOf<T>(
  objects: ObjectGenerator<T>,
  limit: number,
  keyOf: (object: T) => V2Key,
  shown: (object: T) => T,
): Promise<{
  readonly last: ListPosition | undefined;
  readonly isMore: boolean;
  readonly texts: readonly (readonly string[])[] | undefined;
}> {
  let last: ListPosition | undefined;
  let count = 0;
  let length = 0;
  let texts: string[] = [];
  let isMore = false;
  for await (const { namespace, object } of objects) {
    isMore = count === limit;
    if (isMore) break;
    count++;
    last = { namespace, key: keyOf(object) };
    if (length > BUFFERED_LENGTH_MAX) continue;
    const text = JSON.stringify(shown(object));
    length += text.length;
    texts.push(text);
    if (length > BUFFERED_LENGTH_MAX) texts = [];
  }
  return { last, isMore, texts: length > BUFFERED_LENGTH_MAX ? undefined : [texts] };
}

async function* textsOf<T>(
  objects: ObjectGenerator<T>,
  shown: (object: T) => T,
): AsyncGenerator<readonly string[], void> {
  let texts: string[] = [];
  let length = 0;
  for await (const { object } of objects) {
    const text = JSON.stringify(shown(object));
    texts.push(text);
    length += text.length;
    if (length < PIECE_LENGTH) continue;
    yield texts;
    [texts, length] = [[], 0];
  }
  yield texts;
}

async function* objectsOf<T extends object>(
  namespaces: readonly string[],
  after: ListPosition | undefined,
  source: ObjectSource<T>,
  mayBeSelected: (parts: Attributes) => boolean,
  committedState: FastifyInstance['committedState'],
): ObjectGenerator<T> {
  for (const namespace of namespaces) {
    if (after !== undefined && namespace < after.namespace) continue;
    const start = after?.namespace === namespace ? after.key : undefined;
    for await (const chunk of source.list(namespace, start, mayBeSelected)) {
      for (const object of chunk) yield { namespace, object };
      await yieldToEventLoop();
      await expectCommit(committedState());
    }
  }
}

/**
 * The selectors of a query as two functions. One tests whole objects, the other tests objects of which only some
 * attributes are known.
 */
interface ObjectSelection<T> {
  readonly isSelectedObject: (object: T) => boolean;
  readonly mayBeSelected: (parts: Attributes) => boolean;
}

function selectObjects<T extends object>(query: URLSearchParams, source: ObjectSource<T>): ObjectSelection<T> {
  const { fieldRoot } = source;
  const { conditions } = selectorOf(query, 'fieldSelector') ?? NO_CONDITIONS;
  const labels = selectorOf(query, 'labelSelector');
  for (const { name } of conditions) {
    if (name.startsWith(`${fieldRoot}.`)) continue;
    throw new MonError(
      'invalid',
      `fieldSelector: "${name}" is not a field: fields begin with ${fieldRoot}, as in ${fieldRoot}.name`,
    );
  }
  const valueIn = (object: Attributes) => {
    const rooted = { [fieldRoot]: object };
    return (name: string): unknown => readFieldPath(rooted, name);
  };
  return {
    isSelectedObject(object) {
      if (!isSelected({ kind: 'selector', conditions }, valueIn(object as Attributes))) return false;
      if (labels === undefined) return true;
      const objectLabels = source.labelsOf(object);
      return isSelected(labels, (name) => (Object.hasOwn(objectLabels, name) ? objectLabels[name] : undefined));
    },
    mayBeSelected(parts) {
      const valueOf = valueIn(parts);
      // Conditions on attributes that are not known yet are ignored.
      const applicableConditions = conditions.filter(({ name }) => valueOf(name) !== undefined);
      return isSelected({ kind: 'selector', conditions: applicableConditions }, valueOf);
    },
  };
}

const NO_CONDITIONS: V2Selector = { kind: 'selector', conditions: [] };

/**
 * @returns the selector in a query parameter; undefined if the query has none
 * @throws MonError `invalid` if the selector is invalid
 */
function selectorOf(query: URLSearchParams, name: string): V2Selector | undefined {
  const text = query.get(name) ?? '';
  if (text.trim() === '') return undefined;
  const selector = parseV2Selector(text);
  if (selector.kind === 'problem') throw new MonError('invalid', `${name} ${selector.message}`);
  return selector;
}

function tokenOf({ namespace, key }: ListPosition): string {
  return Buffer.from(JSON.stringify([namespace, ...key])).toString('base64url');
}

/** @throws MonError `invalid` if the token is not a valid page token */
function positionOf(token: string): ListPosition {
  const parts = partsOf(token);
  const [namespace, ...key] = parts ?? [];
  if (namespace === undefined || key.length === 0) {
    throw new MonError(
      'invalid',
      `continue: is not a valid page token: send the ${CONTINUE_HEADER} header of the previous page`,
    );
  }
  return { namespace, key };
}

function partsOf(token: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the objects with keys greater than `after`, sorted by key; all objects if `after` is undefined. For kinds of
 * objects that are all in memory.
 */
export function objectsAfterKey<T>(
  objects: readonly T[],
  after: V2Key | undefined,
  keyOf: (object: T) => V2Key,
): readonly T[] {
  const sorted = objects.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
  return after === undefined ? sorted : sorted.filter((object) => compareKeys(keyOf(object), after) > 0);
}

function compareKeys(one: V2Key, other: V2Key): number {
  for (const [at, part] of one.entries()) {
    const against = other[at] ?? '';
    if (part !== against) return part < against ? -1 : 1;
  }
  return one.length - other.length;
}

/** The key of an object within its namespace: `[name]`, or `[entity, check]` for an event. */
export type V2Key = readonly string[];
