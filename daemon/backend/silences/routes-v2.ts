import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  v2SilencedName,
  v2SilencedOf,
  parseV2SilencedName,
  partsOfV2Silenced,
  silencedOfV2,
  type SilenceIdentity,
} from '../../../shared/domain/v2/silenced.ts';
import { subscriptionOfV2 } from '../../../shared/domain/v2/subscription.ts';
import { isExpired } from '../../../shared/domain/expiry.ts';
import {
  toCurrentWindow,
  isExpiredForGood,
  isSelectorId,
  silencedEntry,
  silencedId,
} from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import { LIFETIME_SECONDS_MAX } from '../../../shared/schemas/lifetime.ts';
import {
  v2SilencedSchema,
  type PlacedV2Silenced,
  type SubmittedV2Silenced,
} from '../../../shared/schemas/v2/silenced.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { unexpiredEntry } from './commands.ts';
import type { SilencedRegistry } from '../model/silences/state.ts';
import { isIdentifiedCaller } from '../access/principal.ts';
import { schemaValidator } from '../http/json-body.ts';
import type { V2Handlers } from '../http/route.ts';
import type { SilenceDependencies } from './changes.ts';
import { refuseV2AgainstPolicy } from './policy.ts';
import {
  acknowledgementSilenceById,
  acknowledgementSilences,
  unacknowledgeBySilence,
  type AcknowledgementDependencies,
} from './acknowledged.ts';
import { objectHandlers, pathPart, type Collection } from '../http/v2-collection.ts';
import { doesNotExist } from '../http/v2-errors.ts';
import { objectsAfterKey, sendObjects, type V2Key } from '../http/v2-object-list.ts';
import { chunksAfterKey } from '../http/v2-chunks.ts';
import { unexpiredEntries, sortedSilenced } from './queries.ts';

const validateSilenced = schemaValidator(v2SilencedSchema);

/** Serves silences in the v2 API (clients 6): the same silences as in the v1 API, under their v2 names. */
export function silencedOnV2(deps: SilenceDependencies & AcknowledgementDependencies): V2Handlers<'silenced'> {
  const { clock, registry, silenced } = deps;

  const silencedIn = (namespace: string): SilencedRegistry | undefined =>
    registry.hasNamespace(namespace) ? registry.namespace(namespace).silenced : undefined;

  const collection: Collection<PlacedV2Silenced, SubmittedV2Silenced> = {
    fieldRoot: 'silenced',
    isNamedByBody: true,
    parse(value) {
      const submitted = validateSilenced(value);
      if (partsOfV2Silenced(submitted) !== undefined) return submitted;
      throw new MonError('invalid', 'subscription: at least one of subscription and check is required');
    },
    namespaceOf: ({ metadata }) => metadata?.namespace,
    creatorOf: ({ creator }) => creator,
    withNamespace: setSilenceNamespace,
    keyOf,
    keyOfPath: ([name = '']) => [isSelectorId(name) ? name : v2SilencedName(partsOfKey(name))],
    labelsOf: ({ metadata }) => metadata.labels ?? {},
    *list(namespace, after) {
      const entries = silencedIn(namespace);
      if (entries === undefined) return;
      const acknowledgements = acknowledgementSilences(deps, registry.namespace(namespace), clock.now());
      if (acknowledgements.length > 0) {
        const all = unexpiredEntries([...entries.all(), ...acknowledgements], clock.now());
        yield objectsAfterKey(
          all.map((entry) => v2SilencedOf(namespace, entry)),
          after,
          keyOf,
        );
        return;
      }
      for (const chunk of chunksAfterKey(sortedSilenced(entries), after?.[0], ({ name }) => name)) {
        const nowMs = clock.now();
        yield chunk.flatMap(({ entry }) =>
          isExpiredForGood(entry, nowMs) ? [] : v2SilencedOf(namespace, toCurrentWindow(entry, nowMs)),
        );
      }
    },
    get(namespace, [name = '']) {
      if (!registry.hasNamespace(namespace)) return undefined;
      const nowMs = clock.now();
      const present = registry.namespace(namespace);
      const entry =
        unexpiredEntry(present, idOf(name), nowMs) ?? acknowledgementSilenceById(deps, present, idOf(name), nowMs);
      return entry === undefined ? undefined : v2SilencedOf(namespace, entry);
    },
    async write(namespace, [name = ''], change, actor) {
      if (isSelectorId(name))
        throw new MonError('invalid', `name: ${name} is a silence with a selector, which only /api/mon/v1 supports`);
      const entry = await silenced.write(
        namespace,
        idOf(name),
        (before, nowMs) => {
          const core = change(before === undefined ? undefined : v2SilencedOf(namespace, before));
          const creator = isIdentifiedCaller(actor.who) ? actor.who : core.creator || null;
          const made = entryOf({ ...core, creator }, partsOfV2Silenced(core) ?? partsOfKey(name), before, nowMs);
          // A silence that has already expired suppresses nothing, so it need not comply with the policy.
          if (!isExpired(made, nowMs)) refuseV2AgainstPolicy(deps, made);
          return made;
        },
        actor,
        { isStoredWhenOver: false },
      );
      return v2SilencedOf(namespace, entry);
    },
    warningsOf: (silence) => {
      const endMs = (silence.expire_at ?? 0) * 1000;
      if (endMs === 0 || endMs > clock.now()) return [];
      return [`it ended at ${new Date(endMs).toISOString()}, so it silences nothing`];
    },
    async remove(namespace, [name = ''], check, actor) {
      const shown = await this.get(namespace, [name]);
      if (shown === undefined) throw doesNotExist();
      const nowMs = clock.now();
      const present = registry.namespace(namespace);
      if (acknowledgementSilenceById(deps, present, idOf(name), nowMs) !== undefined) {
        check(shown);
        await unacknowledgeBySilence(deps, { namespace: present, id: idOf(name), nowMs }, actor);
        return;
      }
      await silenced.clear(namespace, { id: idOf(name) }, actor, (entry) => check(v2SilencedOf(namespace, entry)));
    },
  };
  /** Sends the silences that name the check or subscription in the path of a request. */
  const sendNaming = (
    request: FastifyRequest,
    reply: FastifyReply,
    naming: (entries: SilencedRegistry) => Iterable<SilencedEntry>,
    isNamed: (entry: SilencedEntry) => boolean,
  ): Promise<FastifyReply> => {
    const namespace = pathPart(request, 'namespace');
    return sendObjects(request, reply, [namespace], {
      ...collection,
      list(name, after) {
        const entries = silencedIn(name);
        const nowMs = clock.now();
        const unexpired =
          entries === undefined
            ? []
            : unexpiredEntries(
                [...naming(entries), ...acknowledgementSilences(deps, registry.namespace(name), nowMs).filter(isNamed)],
                nowMs,
              );
        return [
          objectsAfterKey(
            unexpired.map((entry) => v2SilencedOf(name, entry)),
            after,
            keyOf,
          ),
        ];
      },
    });
  };
  return {
    ...objectHandlers(deps, collection),
    ofCheck: (request, reply) => {
      const check = pathPart(request, 'check');
      return sendNaming(
        request,
        reply,
        (entries) => entries.namingCheck(check),
        (entry) => entry.check === check,
      );
    },
    ofSubscription: (request, reply) => {
      const subscription = subscriptionOfV2(pathPart(request, 'subscription'));
      return sendNaming(
        request,
        reply,
        (entries) => entries.namingSubscription(subscription, false),
        (entry) => entry.subscription === subscription,
      );
    },
  };
}

function keyOf({ metadata }: Pick<PlacedV2Silenced, 'metadata'>): V2Key {
  return [metadata.name];
}

function setSilenceNamespace(core: SubmittedV2Silenced, namespace: string): PlacedV2Silenced {
  const parts = partsOfV2Silenced(core);
  const name = parts === undefined ? '' : v2SilencedName(parts);
  return { ...core, metadata: { ...core.metadata, name, namespace } };
}

/**
 * Returns the subscription and check that the v2 name of a silence contains. If the name is invalid, both are null, so
 * that no silence is found.
 */
function partsOfKey(name: string): SilenceIdentity {
  return parseV2SilencedName(name) ?? { subscription: null, check: null };
}

function idOf(name: string): string {
  if (isSelectorId(name)) return name;
  const { subscription, check } = partsOfKey(name);
  return silencedId(subscription, check);
}

/**
 * Converts a silence in the form of the v2 API to the form in memory.
 *
 * @throws MonError `invalid` if the silence would end more than two hundred years from now
 */
function entryOf(
  core: SubmittedV2Silenced,
  parts: SilenceIdentity,
  before: SilencedEntry | undefined,
  nowMs: number,
): SilencedEntry {
  const { request, overrides: over } = silencedOfV2(core, parts, before);
  const entry = { ...silencedEntry(request, nowMs), ...over };
  if (entry.expireAtMs !== null && entry.expireAtMs - nowMs > 2 * LIFETIME_SECONDS_MAX * 1000) {
    throw new MonError('invalid', 'expire_at: must be within a hundred years from now, as seconds since 1970');
  }
  return entry;
}
