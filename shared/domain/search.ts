import type { EventRow } from '../schemas/feed.ts';

/** What a search looks at. */
export type SearchRow = EventRow & {
  /** `searchText(row)`, kept by whoever searches the same row often. */
  readonly searchText?: string;
};

export interface Search {
  readonly kind: 'search';
  /** As it was typed. */
  readonly text: string;
}

export interface SearchProblem {
  readonly kind: 'problem';
  /** What is wrong and what to type instead. */
  readonly message: string;
  /** Where in the text, in UTF-16 units from 0. */
  readonly position: number;
}

export declare function parseSearch(text: string): Search | SearchProblem;
export declare function matchesSearch(search: Search, row: SearchRow, nowSeconds: number): boolean;
/** Whether the answer can change by the mere passing of time. */
export declare function usesTime(search: Search): boolean;
/** The lower-case text that words are looked for in. */
export declare function searchText(row: Pick<EventRow, 'client' | 'check' | 'output'>): string;
