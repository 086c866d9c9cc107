import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { apiPage } from './lib/api-page.ts';

/** Prints docs/api.md from the table of endpoints. */
const page = 'docs/api.md';
writeFileSync(page, await format(apiPage(), { ...(await resolveConfig(page)), filepath: page }));
