import { format, resolveConfig } from 'prettier';
import { apiPage } from './api-page.ts';
import { commandsPage } from './commands-page.ts';
import { metricsPage } from './metrics-page.ts';
import { settingsPage } from './settings-page.ts';

/**
 * The documentation pages that are generated from data of the programs: path in the repository to a function that
 * returns the text.
 */
export const PRINTED_PAGES: ReadonlyMap<string, () => string> = new Map([
  ['docs/api.md', apiPage],
  ['docs/commands.md', commandsPage],
  ['docs/metrics.md', metricsPage],
  ['docs/settings.md', settingsPage],
]);

/**
 * Returns the formatted text of a generated page.
 *
 * @throws Error if the page is not a generated page
 */
export async function generatedPage(page: string): Promise<string> {
  const text = PRINTED_PAGES.get(page)?.();
  if (text === undefined) throw new Error(`${page} is not printed`);
  return withoutPadding(await format(text, { ...(await resolveConfig(page)), filepath: page }));
}

/** Removes the padding that Prettier adds to table cells: in wide tables, most of the page is padding. */
function withoutPadding(markdown: string): string {
  return markdown.replaceAll(/^\|.*\|$/gm, (row) =>
    row.replaceAll(/(?<=\|) +| +(?=\|)/g, ' ').replaceAll(/-{4,}/g, '---'),
  );
}
