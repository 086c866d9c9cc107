import type { FastifyRequest } from 'fastify';
import { V2_API } from '../../../shared/api/v2.ts';
import { partsOfKey } from '../../../shared/client/key-parts.ts';
import { meetsPreconditions } from '../../../shared/domain/v2/etag.ts';
import { mergePatch } from '../../../shared/domain/v2/merge-patch.ts';
import { MonError } from '../../../shared/errors.ts';
import {
  grantedApiKeySchema,
  isSensuGoApiKey,
  patchedApiKeySchema,
  peerApiKeySchema,
  restoredApiKeySchema,
  type V2ApiKey,
  type NewApiKey,
  type RestoredApiKey,
} from '../../../shared/schemas/v2/api-key.ts';
import type { ApiKeys, Granter } from '../access/api-keys.ts';
import { matchesSecret, hashSensuGoKey } from '../access/key-secret.ts';
import type { ApiKey, CredentialRegistry } from '../model/access/credentials.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { pathName } from '../http/path-name.ts';
import type { V2Handlers } from '../http/route.ts';
import { doesNotExist } from '../http/v2-errors.ts';
import {
  changeHandler,
  etagOf,
  mergePatchOf,
  preconditionsOf,
  refuseUnless,
  sendObject,
} from '../http/v2-object-response.ts';
import { objectsAfterKey, sendObjects, type ObjectSource } from '../http/v2-object-list.ts';

const validateGranted = schemaValidator(grantedApiKeySchema);
const validatePeerKey = schemaValidator(peerApiKeySchema);
const validatePatched = schemaValidator(patchedApiKeySchema);
const validateRestored = schemaValidator(restoredApiKeySchema);

interface ApiKeyDependencies {
  readonly apiKeys: ApiKeys;
  readonly registry: { readonly credentials: CredentialRegistry };
}

/**
 * Serves API keys to administrators (completion 1.17). The key itself appears only in the response to its granter, and
 * its hash only in a dump.
 */
export function apiKeysOnV2({ apiKeys, registry }: ApiKeyDependencies): V2Handlers<'apiKeys'> {
  const shown = (key: ApiKey): V2ApiKey => shownApiKey(key, apiKeys.lastUse(key));

  const source: ObjectSource<V2ApiKey> = {
    fieldRoot: 'apikey',
    list: (_none, after) => [objectsAfterKey([...registry.credentials.apiKeys.values()].map(shown), after, keyOf)],
    keyOf,
    labelsOf: () => ({}),
  };

  /**
   * Returns the key id in the path of a request. The path can contain the whole key instead of its id, like the header
   * `Location` in the response to a grant.
   */
  const idOfPath = (request: FastifyRequest): string => {
    const name = pathName(request, 'key');
    const parts = partsOfKey(name);
    if (parts === undefined) return name;
    const key = registry.credentials.apiKeys.get(parts.id);
    if (key === undefined || !matchesSecret(parts.secret, key.hash)) throw doesNotExist();
    return parts.id;
  };

  const peerKeyOf = (request: FastifyRequest): RestoredApiKey => {
    const { metadata, ...limits } = readBody(request, validatePeerKey);
    const { apiKeys: storedKeys } = registry.credentials;
    const { id, hash } = hashSensuGoKey(metadata.name, (name) => storedKeys.get(name)?.hash);
    return { ...limits, metadata: { ...metadata, name: id }, hash };
  };

  return {
    list: (request, reply) => sendObjects(request, reply, [''], source),
    grant: async (request, reply) => {
      const { stored, key } = await apiKeys.grant(readBody(request, validateGranted), granterOf(request));
      const body: NewApiKey = { ...shown(stored), key };
      // Clients of Sensu Go read the new key from the end of this header (clients 6).
      return reply.header('Location', `${V2_API.apiKeys.list.path}/${key}`).send(body);
    },
    get: (request, reply) => {
      const key = registry.credentials.apiKeys.get(idOfPath(request));
      if (key === undefined) throw doesNotExist();
      return sendObject(request, reply, taggedApiKey(key), shown(key));
    },
    patch: async (request, reply) => {
      const patch = mergePatchOf(request);
      const id = idOfPath(request);
      const preconditions = preconditionsOf(request);
      const written = await apiKeys.change(id, granterOf(request), (present) => {
        refuseUnless(meetsPreconditions(preconditions, etagOf(taggedApiKey(present))));
        const changed = validatePatched(mergePatch(patchableApiKey(present), patch));
        if (changed.metadata.name !== id) throw new MonError('invalid', 'the name of an API key cannot be changed');
        return changed;
      });
      return sendObject(request, reply, taggedApiKey(written), shown(written));
    },
    put: changeHandler(async (request) => {
      const name = pathName(request, 'key');
      const key = isSensuGoApiKey(name) ? peerKeyOf(request) : readBody(request, validateRestored);
      if (key.metadata.name !== (partsOfKey(name)?.id ?? name)) {
        throw new MonError('invalid', 'the name of the API key in the body differs from the name in the path');
      }
      await apiKeys.restore(key, granterOf(request));
    }),
    revoke: changeHandler((request, actor) => apiKeys.revoke(idOfPath(request), actor)),
  };
}

function keyOf({ metadata }: V2ApiKey): readonly string[] {
  return [metadata.name];
}

function granterOf(request: FastifyRequest): Granter {
  return {
    actor: actorOf(request),
    get scopes() {
      return request.admission().scopes;
    },
  };
}

/** @param lastUsed time of the last use, epoch seconds; null if the key was never used */
function shownApiKey(key: ApiKey, lastUsed: number | null): V2ApiKey {
  const { id, username, description, scopes, namespace, createdAt, createdBy, expiresAt } = key;
  return {
    metadata: { name: id, created_by: createdBy },
    username,
    description,
    scopes,
    all_roles: key.hasAllRoles === true,
    namespace,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used: lastUsed,
  };
}

/**
 * Returns the attributes of an API key from which its entity tag is computed. They omit the last use, so that using the
 * key does not change the tag.
 */
function taggedApiKey(key: ApiKey): V2ApiKey {
  return shownApiKey(key, null);
}

/**
 * Returns the attributes of an API key to which a patch is applied. For a key with all roles of its user they contain
 * no scopes, so that the patched key still has all roles, even for another user.
 */
function patchableApiKey(key: ApiKey): object {
  const { scopes, all_roles: allRoles, ...shown } = taggedApiKey(key);
  return allRoles ? shown : { ...shown, scopes };
}
