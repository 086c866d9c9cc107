import { textField, type Field } from '../../shared/domain/search-fields.ts';
import { splitName } from '../model/backend-names.ts';
import { NAMESPACE_COLUMN } from '../model/where-column.ts';

/** Returns the search field for the namespace of a row, in a list of all namespaces. */
export function namespaceField<Row>(nameOf: (row: Row) => string): Field<Row> {
  return textField(NAMESPACE_COLUMN, (row) => splitName(nameOf(row)).context ?? '');
}

/**
 * Returns the search that finds an object by its name. In a list of several namespaces, the search includes the
 * namespace.
 */
export function placedSearch(named: string, term: (name: string) => string): string {
  const { name, context } = splitName(named);
  return context === undefined ? term(name) : `${term(name)} ${NAMESPACE_COLUMN}=${context}`;
}
