import { isAttributes } from './attributes.ts';

/**
 * A submitted result without its client object (reference 2.4): the name of the client becomes the `source`, which a result
 * that names one keeps, as the machine that reports for it is the client then. Both forms are taken, the check in an
 * attribute of its own and beside the client.
 *
 * @param value not validated yet: what is no result, or names no client, comes back as it is
 */
export function resultOfNamedClient(value: unknown): unknown {
  if (!isAttributes(value) || value['client'] === undefined || value['client'] === null) return value;
  const { client, ...rest } = value;
  const check = isAttributes(rest['check']) ? rest['check'] : rest;
  return { ...check, source: check['source'] ?? (isAttributes(client) ? (client['name'] ?? '') : client) };
}
