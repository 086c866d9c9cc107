import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { parseSelector, type Selector } from '../../../../shared/domain/selector.ts';
import { MonError } from '../../../../shared/errors.ts';
import { decodeClient } from '../clients/client-record.ts';
import { clientKey } from '../clients/storage.ts';
import { decodeCheckRecord } from '../events/check-record.ts';
import { checkRecordKey } from '../events/storage.ts';
import type { Store } from '../../ports.ts';
import { eventsOf, type CheckEntry, type ClientEntry, type Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { runInChunks } from '../../store/time-slice.ts';
import type { WatchedAttributes } from '../registry/watched-attributes.ts';
import { refuseCostly } from './selector-budget.ts';

/** Maximum number of client attributes, and of check attributes, that all selectors of a namespace can use together. */
const NAMES_MAX = 100;

/** Number of client or check records that are read from the store at a time. */
const CHUNK_RECORDS = 500;

type ReadStore = Pick<Store, 'getMany'>;

/**
 * Loads into memory the attributes that these selectors use, from the stored clients and open events of a namespace. So
 * the selectors match as soon as they are committed. If all these attributes are in memory already, nothing is read.
 *
 * @param name name of the namespace
 * @param selectors texts of new selectors; if empty, only attributes that existing selectors use are read
 * @throws MonError `invalid` if a selector is invalid, `threshold` if the selectors of the namespace use too many
 *   attributes or cost too much
 */
export async function loadSelectorAttributes(
  registry: Registry,
  store: ReadStore,
  name: string,
  selectors: readonly string[],
): Promise<void> {
  const parsedSelectors = await runInChunks(readSelectors(selectors));
  for (;;) {
    const namespace = registry.findNamespace(name);
    if (namespace === undefined) return;
    refuseCostly(namespace, parsedSelectors);
    watchSelectorAttributes(namespace, parsedSelectors);
    if (areAttributesLoaded(registry, name)) return;
    const { generation } = registry;
    const { client, check } = namespace.watched;
    const names = [client.names, check.names];
    await loadAllAttributes(store, namespace);
    // Repeats if the registry was reloaded meanwhile, which discards the attributes, or if selectors now use other
    // attributes.
    if (registry.generation !== generation || names[0] !== client.names || names[1] !== check.names) continue;
    client.isLoaded = true;
    check.isLoaded = true;
    return;
  }
}

/** True if all attributes that the selectors of a namespace use are in memory, or if there is no such namespace. */
export function areAttributesLoaded(registry: Registry, name: string): boolean {
  const watched = registry.findNamespace(name)?.watched;
  return watched === undefined || (watched.client.isLoaded && watched.check.isLoaded);
}

function* readSelectors(texts: readonly string[]): Generator<void, Selector[], undefined> {
  const read: Selector[] = [];
  for (const text of texts) {
    read.push(readSelector(text));
    yield;
  }
  return read;
}

function readSelector(text: string): Selector {
  const selector = parseSelector(text);
  if (selector.kind === 'selector') return selector;
  throw new MonError('invalid', `selector: ${selector.message} (character ${String(selector.position + 1)})`);
}

function watchSelectorAttributes({ watched, silenced }: Namespace, selectors: readonly Selector[]): void {
  for (const owner of ['client', 'check'] as const) {
    const names = new Set(selectors.flatMap(({ attributes }) => attributes[owner]));
    watchNames(watched[owner], names, () => [...silenced.selectors()].flatMap(({ attributes }) => attributes[owner]));
  }
}

/**
 * Adds the names of attributes that are to be read. If there are too many names, those that only deleted selectors used
 * are removed.
 *
 * @param inUse callback that returns the names that existing selectors use
 * @throws MonError `threshold` if there are still too many names
 */
function watchNames(watched: WatchedAttributes, names: ReadonlySet<string>, inUse: () => readonly string[]): void {
  if (new Set([...watched.names, ...names]).size <= NAMES_MAX) {
    watched.watch([...names]);
    return;
  }
  const needed = new Set([...inUse(), ...names]);
  if (needed.size > NAMES_MAX) {
    throw new MonError(
      'threshold',
      `selector: all selectors in this namespace together can use at most ${String(NAMES_MAX)} attributes: clear a silence first`,
    );
  }
  watched.replace([...needed]);
}

async function loadAllAttributes(store: ReadStore, namespace: Namespace): Promise<void> {
  const { clients, watched } = namespace;
  const unknownClients = [...clients.values()].filter(
    ({ selectorAttributes: facts }) => !watched.client.isCovered(facts),
  );
  await forEachChunk(unknownClients, async (chunk) => {
    const texts = await store.getMany(chunk.map(({ name }) => clientKey(namespace.name, name)));
    for (const [at, entry] of chunk.entries()) {
      const text = texts[at];
      if (text !== undefined && isUnknown(namespace, entry))
        namespace.updateSelectorAttributes(entry, decodeClient(text).client);
    }
  });
  const unknownEvents: CheckEntry[] = [];
  for (const client of clients.values()) {
    for (const entry of eventsOf(client))
      if (!watched.check.isCovered(entry.selectorAttributes)) unknownEvents.push(entry);
  }
  await forEachChunk(unknownEvents, async (chunk) => {
    const texts = await store.getMany(
      chunk.map((entry) => checkRecordKey(namespace.name, entry.client.name, entry.name)),
    );
    for (const [at, entry] of chunk.entries()) loadCheckAttributes(namespace, entry, texts[at]);
  });
}

/**
 * True if the attributes of a client are still missing. The client can have been updated or deleted while its record
 * was read.
 */
function isUnknown({ clients, watched }: Namespace, entry: ClientEntry): boolean {
  return clients.get(entry.name) === entry && !watched.client.isCovered(entry.selectorAttributes);
}

function loadCheckAttributes(namespace: Namespace, entry: CheckEntry, text: string | undefined): void {
  if (text === undefined || namespace.watched.check.isCovered(entry.selectorAttributes)) return;
  if (namespace.check(entry.client.name, entry.name) !== entry) return;
  const { check, eventCheck } = decodeCheckRecord(text);
  const result = check ?? eventCheck;
  if (result !== null && result !== undefined) namespace.updateCheckSelectorAttributes(entry, result, eventCheck);
}

/** Processes items in chunks. Other work can run after each chunk. */
async function forEachChunk<Item>(
  items: readonly Item[],
  work: (chunk: readonly Item[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += CHUNK_RECORDS) {
    await work(items.slice(start, start + CHUNK_RECORDS));
    await yieldToEventLoop();
  }
}
