import { partsOfKey } from '../../../shared/client/key-parts.ts';
import { wrappedName, type Wrapped } from '../../../shared/domain/v2/wrapped-object.ts';

/**
 * Returns the displayed name of an object. An API key whose name is the secret, as in Sensu Go, is shown by its
 * id.
 */
export function shownName(object: Wrapped): string {
  const name = wrappedName(object);
  return object.type === 'APIKey' ? (partsOfKey(name)?.id ?? name) : name;
}
