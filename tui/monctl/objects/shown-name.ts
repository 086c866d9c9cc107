import { partsOfKey } from '../../../shared/client/key-parts.ts';
import { wrappedName, type Wrapped } from '../../../shared/domain/v2/wrapped.ts';

/** What an object is called on the screen: an API key that is its own name, as those of the peer are, by its id. */
export function shownName(object: Wrapped): string {
  const name = wrappedName(object);
  return object.type === 'APIKey' ? (partsOfKey(name)?.id ?? name) : name;
}
