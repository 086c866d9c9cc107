import { excerptOf } from './excerpt.ts';
import { SearchIndex, type IndexedSection, type SearchHit, type SearchOutcome } from './search-index.ts';

declare global {
  /**
   * Receives the sections from `search-sections.js` and `search-specifications.js`. They are in scripts because a page
   * without a server cannot load other files.
   */
  var monSearch: { readonly take: (sections: readonly IndexedSection[]) => void };
}

/** The elements of the search in the header of a page. */
interface SearchElements {
  readonly input: HTMLInputElement;
  /** The panel below the field, with the status, the switch and the list. */
  readonly panel: HTMLElement;
  readonly status: HTMLElement;
  readonly specifications: HTMLInputElement;
  readonly list: HTMLOListElement;
}

/**
 * Connects the search field to the list of matching sections. The texts of the sections are loaded when the field is
 * first used, and those of the specifications when their switch is first turned on.
 */
export function openSearch(script: Element | SVGScriptElement | null): void {
  const elements = searchElements();
  if (elements === undefined || !(script instanceof HTMLScriptElement)) return;
  const { input, panel, status, specifications, list } = elements;
  const top = script.dataset['top'] ?? '.';
  const index = new SearchIndex();

  const show = (): void => {
    panel.hidden = input.value.trim() === '' || index.size === 0;
    if (panel.hidden) return;
    const outcome = index.search(input.value, specifications.checked);
    status.textContent = statusOf(outcome);
    list.replaceChildren(...outcome.hits.map((hit) => itemOf(hit, top)));
  };

  globalThis.monSearch = {
    take: (sections) => {
      index.add(sections);
      show();
    },
  };

  input.hidden = false;
  input.addEventListener('focus', () => loadScript(`${top}/search-sections.js`), { once: true });
  input.addEventListener('input', show);
  specifications.addEventListener('change', () => loadScript(`${top}/search-specifications.js`), { once: true });
  specifications.addEventListener('change', show);
  document.addEventListener('keydown', (event) => handleKey(event, elements));
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('.search') === null) panel.hidden = true;
  });
}

function searchElements(): SearchElements | undefined {
  const input = document.querySelector<HTMLInputElement>('.search input[type=search]');
  const panel = document.querySelector<HTMLElement>('#found');
  const status = document.querySelector<HTMLElement>('#found [role=status]');
  const specifications = document.querySelector<HTMLInputElement>('#found input');
  const list = document.querySelector<HTMLOListElement>('#found ol');
  if (input === null || panel === null || status === null || specifications === null || list === null) return undefined;
  return { input, panel, status, specifications, list };
}

function loadScript(source: string): void {
  const script = document.createElement('script');
  script.src = source;
  document.head.append(script);
}

/**
 * Handles keys of the search: `/` focuses the field, the arrows move through the matches, Enter opens the first match,
 * and Escape closes the panel.
 */
function handleKey(event: KeyboardEvent, { input, panel, list }: SearchElements): void {
  const links = [...list.querySelectorAll('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  if (event.key === '/' && document.activeElement === document.body) input.focus();
  else if (panel.hidden) return;
  else if (event.key === 'Escape') {
    panel.hidden = true;
    input.focus();
  } else if (event.key === 'ArrowDown') links[at + 1]?.focus();
  else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
  else if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
  else return;
  if (event.key !== 'Enter') event.preventDefault();
}

function statusOf({ hits, meanings, isPartial }: SearchOutcome): string {
  if (hits.length === 0) return 'No section contains these words.';
  const missing = isPartial ? 'No section contains all of these words. These contain some of them.' : '';
  const added = meanings.length === 0 ? '' : `Also searched for: ${meanings.join(', ')}.`;
  return [missing, added].filter((sentence) => sentence !== '').join(' ');
}

function itemOf({ section: { id, page, title, text }, words }: SearchHit, top: string): HTMLLIElement {
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
