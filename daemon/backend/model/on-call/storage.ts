import { wrappedOf, type WrappedObject } from '../../../../shared/domain/v2/wrapped-object.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { OnCallOverride } from '../../../../shared/schemas/on-call.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Table } from '../registry/table.ts';
import { eachOf } from '../tables/dump-table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { overridesIn } from './state.ts';

const OVERRIDE_PREFIX = 'on-call-override';

/**
 * The stored table of overrides, by id. Their times are wall-clock times, so a clock correction does not shift them.
 */
export const OVERRIDES: StoredTable & Table<Namespace, string, OnCallOverride> = {
  prefix: OVERRIDE_PREFIX,
  key: ({ name }, id) => [OVERRIDE_PREFIX, name, id],
  encode: (override) => JSON.stringify(override),
  putInMemory: (namespace, _id, override) => overridesIn(namespace).put(override),
  removeFromMemory: (namespace, id) => overridesIn(namespace).remove(id),
  load: (namespace, _key, text) => overridesIn(namespace).put(JSON.parse(text) as OnCallOverride),
  unload: (namespace, [, , id]) => overridesIn(namespace).remove(String(id)),
  dumps: [
    {
      type: 'OnCallOverride',
      isNamespaced: true,
      dumped: eachOf((override) => dumpedOverride(override as OnCallOverride)),
    },
  ],
};

function dumpedOverride({ id, ...spec }: OnCallOverride): WrappedObject {
  return wrappedOf('OnCallOverride', { name: id, namespace: DEFAULT_NAMESPACE }, spec);
}
