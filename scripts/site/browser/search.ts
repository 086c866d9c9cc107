import MiniSearch from 'minisearch';
import { excerptOf } from './excerpt.ts';
import { indexedWords, searchedWords } from './words.ts';

/** A searchable section of a page, as `search-sections.ts` writes it during the build. */
interface SearchSection {
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

declare global {
  /**
   * Receives the sections from `search-sections.js`. They are in a script because a page without a server cannot load
   * other files.
   */
  var monSearch: { readonly take: (sections: readonly SearchSection[]) => void };
}

const MATCHES_MAX = 20;

/**
 * Connects the search field to the list of matching sections. The texts of the sections are loaded when the field is
 * first used.
 */
export function openSearch(script: Element | SVGScriptElement | null): void {
  const input = document.querySelector<HTMLInputElement>('.search input');
  const list = document.querySelector<HTMLOListElement>('.search ol');
  if (input === null || list === null || !(script instanceof HTMLScriptElement)) return;
  const top = script.dataset['top'] ?? '.';
  const texts = new Map<string, SearchSection>();
  const index = new MiniSearch<SearchSection>({
    fields: ['title', 'page', 'text'],
    tokenize: indexedWords,
    searchOptions: {
      tokenize: searchedWords,
      combineWith: 'AND',
      prefix: true,
      // Allows two edits in a term of six letters. That is one typing error, because two swapped letters count as two
      // edits.
      fuzzy: (term) => (term.length > 5 ? 0.25 : false),
      boost: { title: 4, page: 2 },
      // Few readers search for the specifications, so these rank lower.
      boostDocument: (id) => (/^(?:spec|project)\//.test(String(id)) ? 0.4 : 1),
    },
  });

  const show = (): void => {
    const results = index.search(input.value).slice(0, MATCHES_MAX);
    list.replaceChildren(
      ...results.flatMap(({ id, terms }) => {
        const section = texts.get(String(id));
        return section === undefined ? [] : [itemOf(section, terms, top)];
      }),
    );
    if (results.length === 0 && input.value !== '' && texts.size > 0) list.append(nothing());
    list.hidden = input.value === '' || texts.size === 0;
  };

  globalThis.monSearch = {
    take: (sections) => {
      for (const section of sections) texts.set(section.id, section);
      index.addAll([...texts.values()]);
      show();
    },
  };

  input.hidden = false;
  input.addEventListener('focus', () => load(`${top}/search-sections.js`), { once: true });
  input.addEventListener('input', show);
  document.addEventListener('keydown', (event) => pressed(event, input, list));
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('.search') === null) list.hidden = true;
  });
}

function load(source: string): void {
  const script = document.createElement('script');
  script.src = source;
  document.head.append(script);
}

/**
 * Handles keys of the search: `/` focuses the field, the arrows move through the matches, Enter opens the first match,
 * and Escape closes the list.
 */
function pressed(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  const links = [...list.querySelectorAll('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  if (event.key === '/' && document.activeElement === document.body) input.focus();
  else if (list.hidden) return;
  else if (event.key === 'Escape') list.hidden = true;
  else if (event.key === 'ArrowDown') links[at + 1]?.focus();
  else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
  else if (event.key === 'Enter' && at === -1) links[0]?.click();
  else return;
  if (event.key !== 'Enter') event.preventDefault();
}

function itemOf({ id, page, title, text }: SearchSection, words: readonly string[], top: string): HTMLLIElement {
  const link = document.createElement('a');
  link.href = `${top}/${id}`;
  const heading = document.createElement('strong');
  heading.textContent = title === page ? page : `${page}: ${title}`;
  const excerpt = document.createElement('span');
  for (const piece of excerptOf(text, words)) {
    const node = document.createElement(piece.isWord ? 'mark' : 'span');
    node.textContent = piece.text;
    excerpt.append(node);
  }
  link.append(heading, excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function nothing(): HTMLLIElement {
  const item = document.createElement('li');
  item.textContent = 'Nothing has all of these words.';
  return item;
}
