import { readSearch, type SearchLanguage, type ParsedSearch } from '../../shared/domain/search-language.ts';
import { MonError } from '../../shared/errors.ts';
import { valueOption, type Flags, type CommandOption } from './flags.ts';

/** The `--filter` option of lists. */
export const FILTER_OPTION: CommandOption = valueOption(
  'TEXT',
  'only rows that match this filter; same syntax as in the console',
  {
    short: 'q',
  },
);

/**
 * Parses the search of `--filter`, or of its older name `--search`. Without both options the search matches everything.
 *
 * @throws MonError `invalid` with a message that points at the syntax error
 */
export function filterFlag<Item>(language: SearchLanguage<Item>, flags: Flags): ParsedSearch<Item> {
  const name = flags.value('filter') === undefined ? 'search' : 'filter';
  const text = flags.value(name) ?? '';
  const search = readSearch(language, text);
  if (search.kind === 'search') return search;
  const pointer = `${' '.repeat(search.position)}^`;
  throw new MonError('invalid', `--${name}: ${search.message}\n  ${text.replaceAll(/\s/g, ' ')}\n  ${pointer}`);
}
