import { openSearch } from './search.ts';

const pagesElement = document.querySelector<HTMLDetailsElement>('nav.pages details');
// On a narrow screen, the list of pages starts closed, because it would hide the page. The `details` element also opens
// without scripts.
if (pagesElement !== null) pagesElement.open = matchMedia('(min-width: 60rem)').matches;
document.querySelector('nav.pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
openSearch(document.currentScript);
