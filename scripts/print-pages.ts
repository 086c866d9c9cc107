import { writeFileSync } from 'node:fs';
import { PRINTED_PAGES, printed } from './lib/printed-pages.ts';

/** Writes the pages of docs that are generated from tables of the programs. */
for (const page of PRINTED_PAGES.keys()) writeFileSync(page, await printed(page));
