import { format, resolveConfig } from 'prettier';
import { apiPage } from './api-page.ts';
import { commandsPage } from './commands-page.ts';
import { metricsPage } from './metrics-page.ts';
import { settingsPage } from './settings-page.ts';

/** The pages that are generated from data of the programs, by their path in the repository. */
export const PRINTED_PAGES: ReadonlyMap<string, () => string> = new Map([
  ['docs/api.md', apiPage],
  ['docs/commands.md', commandsPage],
  ['docs/metrics.md', metricsPage],
  ['docs/settings.md', settingsPage],
]);

/**
 * Returns the text of a generated page.
 *
 * @throws Error for any other page
 */
export async function printed(page: string): Promise<string> {
  const text = PRINTED_PAGES.get(page)?.();
  if (text === undefined) throw new Error(`${page} is not printed`);
  return withoutPadding(await format(text, { ...(await resolveConfig(page)), filepath: page }));
}

/** Removes the padding that Prettier gives the cells of tables: in wide tables, it is most of the page. */
function withoutPadding(markdown: string): string {
  return markdown.replaceAll(/^\|.*\|$/gm, (row) =>
    row.replaceAll(/(?<=\|) +| +(?=\|)/g, ' ').replaceAll(/-{4,}/g, '---'),
  );
}
