import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fieldAt, isSelected, parseSelector, type Selector } from '../../../../shared/domain/core/selectors.ts';
import type { Attributes } from '../../../../shared/domain/attributes.ts';
import { MonError } from '../../../../shared/errors.ts';
import type { Principal } from '../access.ts';
import { sendChunks } from '../list.ts';
import { queryOf, wholeNumber } from '../query.ts';
import type { CoreKey } from './collection.ts';

/** Where a list comes from. */
export interface ObjectSource<T extends object> {
  /** What one is called in field selectors: `check` in `check.name`. */
  readonly fieldRoot: string;
  /**
   * Those of a namespace in the order of their keys, in portions, between which others get their turn.
   *
   * @param after the key behind which to begin, whether or not there is still an object of that key; undefined: with the first
   * @param mayBeSelected whether an object with these parts may be among those that are asked for; the others need not be made
   */
  list(
    namespace: string,
    after: CoreKey | undefined,
    mayBeSelected: (parts: Attributes) => boolean,
  ): Iterable<readonly T[]> | AsyncIterable<readonly T[]>;
  keyOf(object: T): CoreKey;
  labelsOf(object: T): Attributes;
  /** What the caller gets to see of it; absent: everything. */
  show?(object: T, principal: Principal): T;
  /** Whether the caller may see it; absent: whoever may see its namespace may. */
  isVisible?(object: T, principal: Principal): boolean;
}

/** Where a page ended: a position and no number, so that what comes and goes before it moves nothing. */
interface Position {
  readonly namespace: string;
  readonly key: CoreKey;
}

/** Header with which a page names the next one; absent on the last (clients, section 6). */
const CONTINUE = 'Sensu-Continue';

/** Objects that make one piece of an answer. */
const CHUNK = 100;

/**
 * Answers a list of objects: those that `fieldSelector` and `labelSelector` select, and of them a page of `limit` behind
 * `continue`. A `limit` that is no number counts as absent, as at the peer.
 *
 * @param namespaces whose objects these are, in order
 * @throws MonError `invalid` for a selector or a position that cannot be read
 */
export async function sendObjects<T extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  namespaces: readonly string[],
  source: ObjectSource<T>,
): Promise<FastifyReply> {
  const query = queryOf(request);
  const limit = wholeNumber(query, 'limit') || Infinity;
  const token = query.get('continue') ?? '';
  const after = token === '' ? undefined : positionOf(token);
  const { isSelectedObject, mayBeSelected } = selection(query, source);
  const { principal } = request;
  const shown = (object: T): T => source.show?.(object, principal) ?? object;
  // Of what is shown, so that nobody finds out by asking what is not.
  const isWanted = (object: T): boolean =>
    source.isVisible?.(object, principal) !== false && isSelectedObject(shown(object));

  if (limit === Infinity) {
    // Nothing but the items depends on how many there are: memory holds a portion, whatever the length of the list.
    const texts = textsOf(objectsOf(namespaces, after, source, mayBeSelected), isWanted, shown);
    return await sendTexts(reply, texts);
  }
  const chunks: string[] = [];
  let texts: string[] = [];
  let count = 0;
  let last: Position | undefined;
  for await (const { namespace, object } of objectsOf(namespaces, after, source, mayBeSelected)) {
    if (!isWanted(object)) continue;
    if (count === limit && last !== undefined) {
      reply.header(CONTINUE, tokenOf(last));
      break;
    }
    count++;
    last = { namespace, key: source.keyOf(object) };
    texts.push(JSON.stringify(shown(object)));
    if (texts.length === CHUNK) {
      addChunk(chunks, texts);
      texts = [];
    }
  }
  addChunk(chunks, texts);
  return sendChunks(reply, chunks);
}

/** What is short, or fails early, is answered as a whole. */
async function sendTexts(reply: FastifyReply, texts: AsyncGenerator<string, void>): Promise<FastifyReply> {
  const first = (await texts.next()).value ?? '';
  const second = await texts.next();
  reply.type('application/json');
  if (second.done === true) return reply.send(first);
  const { value } = second;
  return reply.send(
    Readable.from(
      (async function* () {
        yield first;
        yield value;
        yield* texts;
      })(),
    ),
  );
}

/** The text of an array in pieces, each made when the socket takes it. */
async function* textsOf<T extends object>(
  objects: AsyncIterable<{ readonly object: T }>,
  isWanted: (object: T) => boolean,
  shown: (object: T) => T,
): AsyncGenerator<string> {
  let texts: string[] = [];
  let before = '[';
  for await (const { object } of objects) {
    if (!isWanted(object)) continue;
    texts.push(JSON.stringify(shown(object)));
    if (texts.length < CHUNK) continue;
    yield before + texts.join(',');
    before = ',';
    texts = [];
  }
  yield `${texts.length > 0 ? before + texts.join(',') : before === '[' ? before : ''}]`;
}

async function* objectsOf<T extends object>(
  namespaces: readonly string[],
  after: Position | undefined,
  source: ObjectSource<T>,
  mayBeSelected: (parts: Attributes) => boolean,
): AsyncGenerator<{ readonly namespace: string; readonly object: T }> {
  for (const namespace of namespaces) {
    if (after !== undefined && namespace < after.namespace) continue;
    const start = after?.namespace === namespace ? after.key : undefined;
    for await (const portion of source.list(namespace, start, mayBeSelected)) {
      for (const object of portion) yield { namespace, object };
      await nextTurn();
    }
  }
}

/** What the query asks of objects, whole and in parts. */
interface Selection<T> {
  readonly isSelectedObject: (object: T) => boolean;
  readonly mayBeSelected: (parts: Attributes) => boolean;
}

function selection<T extends object>(query: URLSearchParams, source: ObjectSource<T>): Selection<T> {
  const { fieldRoot } = source;
  const { conditions } = selectorOf(query, 'fieldSelector') ?? NO_CONDITIONS;
  const labels = selectorOf(query, 'labelSelector');
  for (const { name } of conditions) {
    if (name.startsWith(`${fieldRoot}.`)) continue;
    throw new MonError(
      'invalid',
      `fieldSelector: "${name}" is no field here: begin with ${fieldRoot}, as in ${fieldRoot}.name`,
    );
  }
  const valueIn = (object: Attributes) => {
    const rooted = { [fieldRoot]: object };
    return (name: string): unknown => fieldAt(rooted, name);
  };
  return {
    isSelectedObject(object) {
      if (!isSelected({ kind: 'selector', conditions }, valueIn(object as Attributes))) return false;
      if (labels === undefined) return true;
      const found = source.labelsOf(object);
      return isSelected(labels, (name) => (Object.hasOwn(found, name) ? found[name] : undefined));
    },
    mayBeSelected(parts) {
      const valueOf = valueIn(parts);
      // What is not among the parts says nothing yet.
      const known = conditions.filter(({ name }) => valueOf(name) !== undefined);
      return isSelected({ kind: 'selector', conditions: known }, valueOf);
    },
  };
}

const NO_CONDITIONS: Selector = { kind: 'selector', conditions: [] };

/** @throws MonError `invalid` */
function selectorOf(query: URLSearchParams, name: string): Selector | undefined {
  const text = query.get(name) ?? '';
  if (text.trim() === '') return undefined;
  const selector = parseSelector(text);
  if (selector.kind === 'problem') throw new MonError('invalid', `${name} ${selector.message}`);
  return selector;
}

function tokenOf({ namespace, key }: Position): string {
  return Buffer.from(JSON.stringify([namespace, ...key])).toString('base64url');
}

/** @throws MonError `invalid` */
function positionOf(token: string): Position {
  const parts = partsOf(token);
  const [namespace, ...key] = parts ?? [];
  if (namespace === undefined || key.length === 0) {
    throw new MonError('invalid', `continue: this is none of ours: take the ${CONTINUE} header of the page before`);
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

function addChunk(chunks: string[], texts: readonly string[]): void {
  if (texts.length === 0) return;
  const text = texts.join(',');
  chunks.push(chunks.length === 0 ? text : `,${text}`);
}

/** Those behind a key, in their order; for kinds that are kept in memory. */
export function behind<T>(
  objects: readonly T[],
  after: CoreKey | undefined,
  keyOf: (object: T) => CoreKey,
): readonly T[] {
  const sorted = objects.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
  return after === undefined ? sorted : sorted.filter((object) => compareKeys(keyOf(object), after) > 0);
}

export function compareKeys(one: CoreKey, other: CoreKey): number {
  for (const [at, part] of one.entries()) {
    const against = other[at] ?? '';
    if (part !== against) return part < against ? -1 : 1;
  }
  return one.length - other.length;
}
