import MiniSearch, { type Query, type SearchOptions } from 'minisearch';
import { meaningsOf } from './synonyms.ts';
import { indexedWords, searchedWords, wordStem } from './words.ts';

/** A searchable section of a page, as the build of the site writes it. */
export interface IndexedSection {
  /** Path of the page in the site, with the anchor of the section unless it is the page itself. */
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export interface SearchHit {
  readonly section: IndexedSection;
  /** Stems of the words that were found in the section. */
  readonly words: readonly string[];
}

export interface SearchOutcome {
  /** The matching sections, best first. */
  readonly hits: readonly SearchHit[];
  /** Terms that the search has added to the query, because they mean the same as a word of it. */
  readonly meanings: readonly string[];
  /** True if no section contains all words of the query, so the sections contain only some of them. */
  readonly isPartial: boolean;
}

/** A word or a phrase of a query. */
interface QueryTerm {
  readonly text: string;
  /** Terms that mean the same. */
  readonly meanings: readonly string[];
}

const HITS_MAX = 20;

/** Weights by path: the first match counts. Task pages rank above generated lists, which contain every word. */
const PATH_WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/^how-to\//, 1.5],
  [/^(?:api|commands)\.html/, 0.15],
  [/^(?:settings|metrics|glossary)\.html|^reference\//, 0.7],
  [/^(?:architecture|performance|releasing)\.html/, 0.3],
  [/^project\/changelog/, 0.1],
  [/^(?:spec|project)\//, 0.3],
];

/** Factor for the beginning of a page, which the page title describes best. */
const PAGE_FACTOR = 1.4;

/** Factor for a title that consists of the words of the query. */
const SAME_TITLE_FACTOR = 2;

/** Weight of a route that old clients use as another name of a route: its text begins with "As /events". */
const ALIAS_WEIGHT = 0.1;

/** Factor for each better hit on the same page, so that one page does not fill the list. */
const SAME_PAGE_FACTOR = 0.6;

/** Weight of a typed word that has synonyms: the pages use the synonyms for the subject. */
const SYNONYM_SOURCE_WEIGHT = 0.6;

/**
 * Ways to match a word, in order: a later one is only used if no page contains the word. Similar words may differ in
 * one letter of four, because two swapped letters count as two edits.
 */
const MATCHING_OPTIONS: readonly SearchOptions[] = [
  { prefix: false, fuzzy: false },
  { prefix: true, fuzzy: false },
  { prefix: true, fuzzy: (term) => (term.length > 4 ? 0.25 : false) },
];

/** The search of the site: words and their forms, synonyms, and similar words if nothing else matches. */
export class SearchIndex {
  readonly #sections = new Map<string, IndexedSection>();
  readonly #meanings = meaningsOf(stemsOf);
  readonly #phraseLengthMax = Math.max(...[...this.#meanings.keys()].map((phrase) => phrase.split(' ').length));
  readonly #index = new MiniSearch<IndexedSection>({
    fields: ['title', 'page', 'text'],
    tokenize: indexedWords,
    processTerm: wordStem,
    searchOptions: { tokenize: searchedWords, boost: { title: 6, page: 3 } },
  });

  /** The number of sections that have been added. */
  get size(): number {
    return this.#sections.size;
  }

  add(sections: readonly IndexedSection[]): void {
    for (const section of sections) this.#sections.set(section.id, section);
    this.#index.addAll(sections);
  }

  /**
   * Searches all sections that have been added.
   *
   * @param withSpecifications whether the result includes sections of the specifications
   */
  search(query: string, withSpecifications: boolean): SearchOutcome {
    const terms = this.#termsOf(query);
    const queries = terms.flatMap((term) => this.#queryOf(term));
    // A query of one term also finds the pages with the title of a synonym.
    const titles = new Set([query, ...(terms.length === 1 ? (terms[0]?.meanings ?? []) : [])].map(stemsOf));
    const hitsFor = (combineWith: 'AND' | 'OR'): readonly SearchHit[] =>
      this.#hits({ combineWith, queries }, titles, withSpecifications);
    const complete = hitsFor('AND');
    return {
      hits: complete.length === 0 ? hitsFor('OR') : complete,
      meanings: [...new Set(terms.flatMap(({ meanings }) => meanings))],
      isPartial: complete.length === 0 || queries.length < terms.length,
    };
  }

  #hits(query: Query, titles: ReadonlySet<string>, withSpecifications: boolean): readonly SearchHit[] {
    const hitsOnPage = new Map<string, number>();
    return this.#index
      .search(query)
      .flatMap(({ id, score, terms }) => {
        const section = this.#sections.get(String(id));
        if (section === undefined || (section.id.startsWith('spec/') && !withSpecifications)) return [];
        return [{ section, words: terms, score: score * weightOf(section, titles) }];
      })
      .toSorted((one, other) => other.score - one.score)
      .map(({ section, words, score }) => {
        const page = section.id.replace(/#.*/, '');
        const better = hitsOnPage.get(page) ?? 0;
        hitsOnPage.set(page, better + 1);
        return { section, words, score: score * SAME_PAGE_FACTOR ** better };
      })
      .toSorted((one, other) => other.score - one.score)
      .slice(0, HITS_MAX)
      .map(({ section, words }) => ({ section, words }));
  }

  /** Splits a query into words and into phrases with synonyms. */
  #termsOf(query: string): readonly QueryTerm[] {
    const words = searchedWords(query);
    const terms: QueryTerm[] = [];
    for (let at = 0; at < words.length;) {
      let length = Math.min(this.#phraseLengthMax, words.length - at);
      while (length > 1 && !this.#meanings.has(stemsOf(words.slice(at, at + length).join(' ')))) length -= 1;
      const text = words.slice(at, at + length).join(' ');
      terms.push({ text, meanings: this.#meanings.get(stemsOf(text)) ?? [] });
      at += length;
    }
    return terms;
  }

  /** Returns the query for a word or phrase or its synonyms, and nothing if no page contains a similar word. */
  #queryOf({ text, meanings }: QueryTerm): readonly Query[] {
    const initials = new Set([text, ...meanings].flatMap((words) => stemsOf(words).split(' ')).map((word) => word[0]));
    const boostTerm = (): number => (meanings.length === 0 ? 1 : SYNONYM_SOURCE_WEIGHT);
    const query = {
      combineWith: 'OR' as const,
      queries: [
        { combineWith: 'AND' as const, queries: [text], boostTerm },
        ...meanings.map((meaning) => ({ combineWith: 'AND' as const, queries: [meaning] })),
      ],
      // A typing error in the first letter is rare, but "docker" and "socket" differ in two letters.
      boostDocument: (_id: unknown, word: string) => (initials.has(word[0]) ? 1 : 0),
    };
    const matching = MATCHING_OPTIONS.find((options) => this.#index.search({ ...options, ...query }).length > 0);
    return matching === undefined ? [] : [{ ...matching, ...query }];
  }
}

function stemsOf(text: string): string {
  return searchedWords(text).map(wordStem).join(' ');
}

function weightOf({ id, title, text }: IndexedSection, titles: ReadonlySet<string>): number {
  return (
    (PATH_WEIGHTS.find(([path]) => path.test(id))?.[1] ?? 1) *
    (id.includes('#') ? 1 : PAGE_FACTOR) *
    (titles.has(stemsOf(title)) ? SAME_TITLE_FACTOR : 1) *
    (text.startsWith('As /') ? ALIAS_WEIGHT : 1)
  );
}
