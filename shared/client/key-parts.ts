import { hash } from 'node:crypto';
import { API_KEY_ID_LENGTH, isPeerApiKey, parseApiKey } from '../schemas/v2/api-key.ts';

/**
 * What names a key and what proves it, from the key itself. One of the peer is a UUID, whose name is the key: it is stored
 * like any other, under an id that tells nothing of it.
 *
 * @returns undefined for what is no key
 */
export function partsOfKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  if (!isPeerApiKey(text)) return parseApiKey(text);
  return { id: hash('sha256', `api key ${text}`, 'hex').slice(0, API_KEY_ID_LENGTH), secret: text };
}
