import { isAttributes } from './attributes.ts';

/**
 * Converts a submitted result with a client object to one without (reference 2.4). The name of the client becomes the
 * `source`, unless the result already has a `source`: then the named client only reported it. The check may be in the
 * attribute `check`, or its attributes may be at the top level.
 *
 * @param value not validated yet; a value that is no result, or names no client, is returned unchanged
 */
export function resultWithSource(value: unknown): unknown {
  if (!isAttributes(value) || value['client'] === undefined || value['client'] === null) return value;
  const { client, ...attributes } = value;
  const check = isAttributes(attributes['check']) ? attributes['check'] : attributes;
  return { ...check, source: check['source'] ?? (isAttributes(client) ? (client['name'] ?? '') : client) };
}
