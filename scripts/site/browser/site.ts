import { openSearch } from './search.ts';

const pages = document.querySelector<HTMLDetailsElement>('nav.pages details');
// On a narrow screen the list would hide the page; it can also be opened without scripts.
if (pages !== null) pages.open = matchMedia('(min-width: 60rem)').matches;
document.querySelector('nav.pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
openSearch(document.currentScript);
