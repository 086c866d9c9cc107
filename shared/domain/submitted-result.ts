import { isAttributes } from './attributes.ts';

/**
 * Converts a submitted result with an attribute `client` to one without (reference 2.4). The name of the client becomes
 * the `source`. If the result already has a `source`, that is kept, because the client only reported the result. The
 * check attributes are in the attribute `check` or at the top level.
 *
 * @param value submitted value, not validated yet; if it is not an object or has no `client`, it is returned unchanged
 */
export function resultWithSource(value: unknown): unknown {
  if (!isAttributes(value) || value['client'] === undefined || value['client'] === null) return value;
  const { client, ...attributes } = value;
  const check = isAttributes(attributes['check']) ? attributes['check'] : attributes;
  return { ...check, source: check['source'] ?? (isAttributes(client) ? (client['name'] ?? '') : client) };
}
