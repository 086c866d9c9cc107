import { writeFileSync } from 'node:fs';
import { PRINTED_PAGES, generatedPage } from './lib/printed-pages.ts';

/** Writes the documentation pages that are generated from data of the programs. */
for (const page of PRINTED_PAGES.keys()) writeFileSync(page, await generatedPage(page));
