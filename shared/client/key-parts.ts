import { hash } from 'node:crypto';
import { API_KEY_ID_LENGTH, isSensuGoApiKey, parseApiKey } from '../schemas/v2/api-key.ts';

/**
 * Returns the id and the secret of an API key. A key of Sensu Go is a UUID without an id, so its id is the beginning of
 * its hash. The hash does not reveal the key.
 *
 * @returns the id and the secret; undefined if the text is not an API key
 */
export function partsOfKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  if (!isSensuGoApiKey(text)) return parseApiKey(text);
  return { id: hash('sha256', `api key ${text}`, 'hex').slice(0, API_KEY_ID_LENGTH), secret: text };
}
