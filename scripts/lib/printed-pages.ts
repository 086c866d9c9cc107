import { format, resolveConfig } from 'prettier';
import { apiPage } from './api-page.ts';
import { commandsPage } from './commands-page.ts';
import { metricsPage } from './metrics-page.ts';
import { referencePage } from './reference-pages.ts';
import { settingsPage } from './settings-page.ts';

/** The pages that contain lists of attributes between text that is written by hand. */
export const REFERENCE_PAGES = [
  'docs/reference/checks.md',
  'docs/reference/handlers.md',
  'docs/reference/filters-and-mutators.md',
  'docs/reference/clients.md',
  'docs/reference/events.md',
  'docs/reference/silences.md',
  'docs/reference/aggregates.md',
  'docs/reference/errors.md',
  'docs/reference/log-messages.md',
  'docs/reference/v2-objects.md',
] as const;

/**
 * The documentation pages that are generated from data of the programs: path in the repository to a function that
 * returns the text.
 */
export const PRINTED_PAGES: ReadonlyMap<string, () => string> = new Map([
  ['docs/api.md', apiPage],
  ['docs/commands.md', commandsPage],
  ['docs/metrics.md', metricsPage],
  ['docs/settings.md', settingsPage],
  ...REFERENCE_PAGES.map((page) => [page, () => referencePage(page)] as const),
]);

/**
 * Returns the formatted text of a generated page.
 *
 * @throws Error if the page is not a generated page
 */
export async function generatedPage(page: string): Promise<string> {
  const text = PRINTED_PAGES.get(page)?.();
  if (text === undefined) throw new Error(`${page} is not printed`);
  // The configuration of Prettier keeps lines as they are, but printed paragraphs and list items are single lines.
  const options = { ...(await resolveConfig(page)), proseWrap: 'always', filepath: page } as const;
  return removePadding(await format(text, options));
}

/** Removes the padding that Prettier adds to table cells: in wide tables, most of the page is padding. */
function removePadding(markdown: string): string {
  return markdown.replaceAll(/^\|.*\|$/gm, (row) =>
    row.replaceAll(/(?<=\|) +| +(?=\|)/g, ' ').replaceAll(/-{4,}/g, '---'),
  );
}
