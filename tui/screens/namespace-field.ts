import { textField, type Field } from '../../shared/domain/search-fields.ts';
import { splitName } from '../model/backend-names.ts';
import { NAMESPACE_COLUMN } from '../model/where-column.ts';

/** What finds the rows of a namespace in a list of all of them. */
export function namespaceField<Row>(nameOf: (row: Row) => string): Field<Row> {
  return textField(NAMESPACE_COLUMN, (row) => splitName(nameOf(row)).context ?? '');
}

/** What finds a thing by its name: in a list of several namespaces with the one that it is in. */
export function placedSearch(named: string, term: (name: string) => string): string {
  const { name, context } = splitName(named);
  return context === undefined ? term(name) : `${term(name)} ${NAMESPACE_COLUMN}=${context}`;
}
