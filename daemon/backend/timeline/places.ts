import type { Key, Store } from '../ports.ts';
import { idAt, placeOf } from './table.ts';

type ReadStore = Pick<Store, 'scan'>;

/** Keys whose last part is a place, the newest first. */
export interface Source {
  readonly namespace: string;
  readonly prefix: Key;
}

/** What is at a place of a source. */
export interface Found {
  readonly source: Source;
  readonly id: number;
  readonly text: string;
}

/** Places that are read of a source at once. */
const PORTION = 100;

/** The first names behind a prefix, each once, without reading what is beneath them. */
export async function* behindAll(store: ReadStore, prefix: Key): AsyncGenerator<string, void> {
  let after: Key | undefined;
  for (;;) {
    let name: string | undefined;
    for await (const [key] of store.scan(prefix, { ...(after && { after }), limit: 1 })) {
      name = String(key[prefix.length]);
      // Behind each key with further parts of this name, whatever they are: no string is greater.
      after = [...prefix, `${name}\0`];
    }
    if (name === undefined) return;
    yield name;
  }
}

/** What is in a source, the newest first, from an id on that is not among it. */
export async function* downFrom(store: ReadStore, source: Source, beforeId: number): AsyncGenerator<Found, void> {
  let after: Key = [...source.prefix, placeOf(beforeId)];
  for (;;) {
    let read = 0;
    for await (const [key, text] of store.scan(source.prefix, { after, limit: PORTION })) {
      read++;
      after = key;
      yield { source, id: idAt(Number(key.at(-1))), text };
    }
    if (read < PORTION) return;
  }
}

/** The same of several sources as one. */
export async function* newestOf(
  store: ReadStore,
  sources: readonly Source[],
  beforeId: number,
): AsyncGenerator<Found, void> {
  const heads: { readonly rest: AsyncGenerator<Found, void>; found: Found }[] = [];
  for (const source of sources) {
    const rest = downFrom(store, source, beforeId);
    const { value } = await rest.next();
    if (value !== undefined) heads.push({ rest, found: value });
  }
  for (;;) {
    let newest: (typeof heads)[number] | undefined;
    for (const head of heads) if (newest === undefined || head.found.id > newest.found.id) newest = head;
    if (newest === undefined) return;
    yield newest.found;
    const { value } = await newest.rest.next();
    if (value === undefined) heads.splice(heads.indexOf(newest), 1);
    else newest.found = value;
  }
}
