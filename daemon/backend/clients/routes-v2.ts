import { clientOfEntity, v2EntityOf } from '../../../shared/domain/v2/entity.ts';
import { v2EntitySchema, type SubmittedV2Entity } from '../../../shared/schemas/v2/entity.ts';
import type { NamespacedV2Object } from '../../../shared/schemas/v2/metadata.ts';
import { disclosesMore } from '../../../shared/domain/redact.ts';
import { readClients, shownEntity } from '../model/clients/queries.ts';
import type { ClientEntry } from '../model/registry/namespace.ts';
import { refuseWithoutScope } from '../access/principal.ts';
import { schemaValidator } from '../http/json-body.ts';
import type { V2Handlers } from '../http/route.ts';
import type { NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { Entities } from './v2-write.ts';
import type { Clients } from './commands.ts';
import { objectHandlers, METADATA_ACCESSORS, type Collection } from '../http/v2-collection.ts';
import { entityHeaders } from './v2-headers.ts';
import { doesNotExist } from '../http/v2-errors.ts';
import { chunksAfterKey } from '../http/v2-chunks.ts';
import { setNamespace } from '../../../shared/domain/v2/wrapped-object.ts';

type PlacedEntity = SubmittedV2Entity & NamespacedV2Object;

const parseEntity = schemaValidator(v2EntitySchema);

interface EntityDependencies extends NamespaceDependencies {
  readonly clients: Clients;
  readonly clock: Clock;
  readonly entities: Entities;
  readonly entityLimit: EntityLimit;
  readonly store: Store;
}

/** Serves clients as entities of the v2 API (clients 6). */
export function entitiesOnV2(deps: EntityDependencies): V2Handlers<'entities'> {
  const { clients, clock, entities, entityLimit, registry, store } = deps;
  const entryOf = (namespace: string, name = ''): ClientEntry | undefined =>
    registry.hasNamespace(namespace) ? registry.namespace(namespace).clients.get(name) : undefined;
  const read = async (entries: readonly ClientEntry[]): Promise<PlacedEntity[]> =>
    (await readClients(store, entries)).map(([entry, client]) => shownEntity(entry.namespace.name, client));

  const collection: Collection<PlacedEntity, SubmittedV2Entity> = {
    ...METADATA_ACCESSORS,
    fieldRoot: 'entity',
    parse: parseEntity,
    isNamedByBody: true,
    withNamespace: setNamespace,
    echo: (entity) => unredactedEntity(entity, clock.now()),
    showPatched: configurationOfEntity,
    async *list(namespace, after) {
      if (!registry.hasNamespace(namespace)) return;
      const all = registry.namespace(namespace).sortedClients();
      for (const chunk of chunksAfterKey(all, after?.[0], ({ name }) => name)) yield read(chunk);
    },
    async get(namespace, [name]) {
      const entry = entryOf(namespace, name);
      const [entity] = entry === undefined ? [] : await read([entry]);
      return entity;
    },
    async write(namespace, [name = ''], change, actor, { method, principal }) {
      const client = await entities.put(
        namespace,
        name,
        (present) => {
          const before = present === undefined ? undefined : shownEntity(namespace, present);
          const entity = change(before);
          if (present !== undefined && disclosesMore(present, entity.redact)) refuseWithoutScope(principal, 'admin');
          // Only a PATCH can remove attributes: the sender of a PUT may omit an attribute because it does not know it.
          return before !== undefined && method === 'PATCH' ? completePatchedEntity(before, entity) : entity;
        },
        actor,
      );
      return shownEntity(namespace, client);
    },
    async remove(namespace, [name = ''], check, actor) {
      if (entryOf(namespace, name) === undefined) throw doesNotExist();
      await clients.remove(namespace, name, { expireSeconds: undefined }, actor, (present) =>
        check(shownEntity(namespace, present)),
      );
    },
    headers: () => entityHeaders(entityLimit.usage()),
  };
  return objectHandlers(deps, collection);
}

/** Sets to null the attributes that a patch removed, and adds the entity's own subscription, as Sensu Go does. */
function completePatchedEntity(before: PlacedEntity, entity: PlacedEntity): PlacedEntity {
  const own = `entity:${entity.metadata.name}`;
  const subscriptions = entity.subscriptions ?? [];
  return {
    ...Object.fromEntries(Object.keys(before).map((attribute) => [attribute, null])),
    ...entity,
    subscriptions: subscriptions.includes(own) ? subscriptions : [...subscriptions, own],
  };
}

/** Returns a submitted entity for the response, unredacted, because its sender knows its secrets. */
function unredactedEntity(entity: PlacedEntity, nowMs: number): object {
  const now = Math.floor(nowMs / 1000);
  const context = { present: undefined, now, version: '', createdBy: undefined, source: 'put' } as const;
  return v2EntityOf(entity.metadata.namespace, clientOfEntity(entity, context));
}

/** Returns the configurable attributes of an entity: the response of Sensu Go to a PATCH contains only these. */
function configurationOfEntity(entity: PlacedEntity): object {
  const { metadata, entity_class, user, subscriptions, deregister, deregistration, redact, keepalive_handlers } =
    entity;
  return {
    metadata,
    entity_class,
    ...(user ? { user } : {}),
    subscriptions,
    deregister,
    deregistration,
    ...(redact ? { redact } : {}),
    ...(keepalive_handlers ? { keepalive_handlers } : {}),
  };
}
