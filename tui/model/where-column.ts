/** Id of the column that names the backend of each row, in a list of several backends. */
export const BACKEND_COLUMN = 'backend';
/** Id of the column that names the namespace of each row, in a list of all namespaces. */
export const NAMESPACE_COLUMN = 'namespace';

/** The column that distinguishes rows with the same name; `undefined` if the list is not merged. */
export type WhereColumn = typeof BACKEND_COLUMN | typeof NAMESPACE_COLUMN | undefined;

/**
 * Returns whether a list has this column.
 *
 * @param where the column that distinguishes merged rows; `any` if it is not known yet whether the list is merged
 */
export function hasColumn(id: string, where: WhereColumn | 'any'): boolean {
  return where === 'any' || id === where || (id !== BACKEND_COLUMN && id !== NAMESPACE_COLUMN);
}
