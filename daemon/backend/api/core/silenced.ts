import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  coreSilencedName,
  coreSilencedOf,
  partsOfCoreName,
  partsOfCoreSilenced,
  silencedOfCore,
  type SilencedParts,
} from '../../../../shared/domain/core/silenced.ts';
import { subscriptionOfCore } from '../../../../shared/domain/core/subscription.ts';
import { isExpired } from '../../../../shared/domain/expiry.ts';
import { silencedEntry, silencedId } from '../../../../shared/domain/silencing.ts';
import { MonError } from '../../../../shared/errors.ts';
import { LIFETIME_SECONDS_MAX } from '../../../../shared/schemas/expiry.ts';
import {
  coreSilencedSchema,
  type PlacedCoreSilenced,
  type SubmittedCoreSilenced,
} from '../../../../shared/schemas/core/silenced.ts';
import type { SilencedEntry } from '../../../../shared/schemas/silenced.ts';
import { livingEntry } from '../../pipeline/silenced.ts';
import { sortedSilenced } from '../../read/core-objects.ts';
import type { SilencedRegistry } from '../../registry/silenced.ts';
import { CORE_PREFIX, isNamed } from '../access.ts';
import { validator } from '../json-body.ts';
import type { ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';
import { refuseCoreAgainstPolicy } from '../silence-policy.ts';
import { collectionRoutes, pathPart, type Collection, type CoreKey } from './collection.ts';
import { notFound } from './errors.ts';
import { behind, sendObjects } from './object-list.ts';
import { portionsBehind } from './portions.ts';

const validate = validator(coreSilencedSchema);

/** Silenced entries (clients, section 6): those of the legacy API, by the names that the newer one has for them. */
export function coreSilencedRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clock, registry, silenced } = parts;

  const silencedIn = (namespace: string): SilencedRegistry | undefined =>
    registry.hasNamespace(namespace) ? registry.namespace(namespace).silenced : undefined;

  const collection: Collection<PlacedCoreSilenced, SubmittedCoreSilenced> = {
    type: 'silenced',
    fieldRoot: 'silenced',
    keyParts: ['silenced'],
    isNamedByBody: true,
    access: { read: 'read', write: 'silence', remove: 'silence' },
    parse(value) {
      const submitted = validate(value);
      if (partsOfCoreSilenced(submitted) !== undefined) return submitted;
      throw new MonError('invalid', 'subscription: at least one of subscription and check is required');
    },
    namespaceOf: ({ metadata }) => metadata?.namespace,
    creatorOf: ({ creator }) => creator,
    place: placedIn,
    keyOf,
    keyOfPath: ([name = '']) => [coreSilencedName(partsOfKey(name))],
    labelsOf: ({ metadata }) => metadata.labels ?? {},
    *list(namespace, after) {
      const entries = silencedIn(namespace);
      if (entries === undefined) return;
      for (const portion of portionsBehind(sortedSilenced(entries), after?.[0], ({ name }) => name)) {
        const nowMs = clock.now();
        yield portion.flatMap(({ entry }) => (isExpired(entry, nowMs) ? [] : coreSilencedOf(namespace, entry)));
      }
    },
    get(namespace, [name = '']) {
      if (!registry.hasNamespace(namespace)) return undefined;
      const entry = livingEntry(registry.namespace(namespace), idOf(name), clock.now());
      return entry === undefined ? undefined : coreSilencedOf(namespace, entry);
    },
    async write(namespace, [name = ''], change, actor) {
      const entry = await silenced.write(
        namespace,
        idOf(name),
        (before, nowMs) => {
          const core = change(before === undefined ? undefined : coreSilencedOf(namespace, before));
          const creator = isNamed(actor.who) ? actor.who : core.creator || null;
          const made = entryOf({ ...core, creator }, partsOfCoreSilenced(core) ?? partsOfKey(name), before, nowMs);
          refuseCoreAgainstPolicy(parts, made);
          return made;
        },
        actor,
      );
      return coreSilencedOf(namespace, entry);
    },
    async remove(namespace, [name = ''], check, actor) {
      if (this.get(namespace, [name]) === undefined) throw notFound();
      await silenced.clear(namespace, { id: idOf(name) }, actor, (entry) => check(coreSilencedOf(namespace, entry)));
    },
  };
  collectionRoutes(app, parts, collection);

  /** Those that name a part of the path. */
  const sendNaming = (
    request: FastifyRequest,
    reply: FastifyReply,
    naming: (entries: SilencedRegistry) => Iterable<SilencedEntry>,
  ): Promise<FastifyReply> => {
    const namespace = pathPart(request, 'namespace');
    return sendObjects(request, reply, [namespace], {
      ...collection,
      list(name, after) {
        const entries = silencedIn(name);
        const living = [...(entries === undefined ? [] : naming(entries))].filter(
          (entry) => !isExpired(entry, clock.now()),
        );
        return [
          behind(
            living.map((entry) => coreSilencedOf(name, entry)),
            after,
            keyOf,
          ),
        ];
      },
    });
  };
  const within = `${CORE_PREFIX}/namespaces/:namespace/silenced`;
  routes(app, `${within}/checks/:check`, {
    GET: needs('read', (request, reply) =>
      sendNaming(request, reply, (entries) => entries.namingCheck(pathPart(request, 'check'))),
    ),
  });
  routes(app, `${within}/subscriptions/:subscription`, {
    GET: needs('read', (request, reply) =>
      sendNaming(request, reply, (entries) =>
        entries.namingSubscription(subscriptionOfCore(pathPart(request, 'subscription')), false),
      ),
    ),
  });
}

function keyOf({ metadata }: Pick<PlacedCoreSilenced, 'metadata'>): CoreKey {
  return [metadata.name];
}

function placedIn(core: SubmittedCoreSilenced, namespace: string): PlacedCoreSilenced {
  const parts = partsOfCoreSilenced(core);
  const name = parts === undefined ? '' : coreSilencedName(parts);
  return { ...core, metadata: { ...core.metadata, name, namespace } };
}

/** The parts of an entry by its name; of a name that is none, parts that no entry has. */
function partsOfKey(name: string): SilencedParts {
  return partsOfCoreName(name) ?? { subscription: null, check: null };
}

function idOf(name: string): string {
  const { subscription, check } = partsOfKey(name);
  return silencedId(subscription, check);
}

/** @throws MonError `invalid` for an end that is over, or that nobody will see */
function entryOf(
  core: SubmittedCoreSilenced,
  parts: SilencedParts,
  before: SilencedEntry | undefined,
  nowMs: number,
): SilencedEntry {
  const { request, over } = silencedOfCore(core, parts, before);
  const entry = { ...silencedEntry(request, nowMs), ...over };
  if (isExpired(entry, nowMs)) throw new MonError('invalid', 'expire_at: is over; it is in seconds since 1970');
  if (entry.expire_at !== null && entry.expire_at - nowMs > 2 * LIFETIME_SECONDS_MAX * 1000) {
    throw new MonError('invalid', 'expire_at: must be within a hundred years; it is in seconds since 1970');
  }
  return entry;
}
