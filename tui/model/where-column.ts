/** Only of a list of several backends. */
export const BACKEND_COLUMN = 'backend';
/** Only of a list of all namespaces. */
export const NAMESPACE_COLUMN = 'namespace';

/** The column that tells rows of the same name apart; undefined: the list is of one place. */
export type WhereColumn = typeof BACKEND_COLUMN | typeof NAMESPACE_COLUMN | undefined;

/**
 * Whether a list has this column.
 *
 * @param where `any`: before it is known what the list is of
 */
export function isColumnThere(id: string, where: WhereColumn | 'any'): boolean {
  return where === 'any' || id === where || (id !== BACKEND_COLUMN && id !== NAMESPACE_COLUMN);
}
