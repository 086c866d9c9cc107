import { partsOfKey } from '../../../shared/client/key-parts.ts';
import { wrappedName, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';

/**
 * Returns the name of an object for display. If the name of an API key contains its secret, as in Sensu Go, only the id
 * of the key is returned.
 */
export function shownName(object: WrappedObject): string {
  const name = wrappedName(object);
  return object.type === 'APIKey' ? (partsOfKey(name)?.id ?? name) : name;
}
