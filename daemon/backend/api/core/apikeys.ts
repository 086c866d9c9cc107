import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import {
  grantedApiKeySchema,
  isPeerApiKey,
  peerApiKeySchema,
  restoredApiKeySchema,
  type CoreApiKey,
  type NewApiKey,
  type RestoredApiKey,
} from '../../../../shared/schemas/core/api-key.ts';
import type { Granter } from '../../pipeline/api-keys.ts';
import { isSecret, partsOfKey, storedPeerKey } from '../../pipeline/key-secret.ts';
import type { ApiKey } from '../../registry/credentials.ts';
import { CORE_PREFIX } from '../access.ts';
import { actorOf } from '../actor.ts';
import { readBody, validator } from '../json-body.ts';
import type { ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { needs, routes } from '../routes.ts';
import { notFound } from './errors.ts';
import { behind, sendObjects, type ObjectSource } from './object-list.ts';

const validateGranted = validator(grantedApiKeySchema);
const validatePeerKey = validator(peerApiKeySchema);
const validateRestored = validator(restoredApiKeySchema);

const API_KEYS = `${CORE_PREFIX}/apikeys`;

/**
 * API keys, for administrators (completion 1.17). The key itself is in the answer to the one who grants it and nowhere
 * else; lists carry the hash, from which nobody gets a key, so that a dump can be restored.
 */
export function apiKeyRoutes(app: FastifyInstance, { apiKeys, registry }: ApiParts): void {
  const shown = (key: ApiKey): CoreApiKey => shownApiKey(key, apiKeys.lastUse(key));

  const source: ObjectSource<CoreApiKey> = {
    fieldRoot: 'apikey',
    list: (_none, after) => [behind([...registry.credentials.apiKeys.values()].map(shown), after, keyOf)],
    keyOf,
    labelsOf: () => ({}),
  };

  /** A path may show the key itself, as a `Location` does. */
  const idOfPath = (request: FastifyRequest): string => {
    const name = pathName(request, 'key');
    const parts = partsOfKey(name);
    if (parts === undefined) return name;
    const key = registry.credentials.apiKeys.get(parts.id);
    if (key === undefined || !isSecret(parts.secret, key.hash)) throw notFound();
    return parts.id;
  };

  const peerKeyOf = (request: FastifyRequest): RestoredApiKey => {
    const { metadata, ...limits } = readBody(request, validatePeerKey);
    const { apiKeys: known } = registry.credentials;
    const { id, hash } = storedPeerKey(metadata.name, (name) => known.get(name)?.hash);
    return { ...limits, metadata: { ...metadata, name: id }, hash };
  };

  routes(app, API_KEYS, {
    GET: needs('admin', (request, reply) => sendObjects(request, reply, [''], source)),

    POST: needs('admin', async (request, reply) => {
      const { stored, key } = await apiKeys.grant(readBody(request, validateGranted), granterOf(request));
      const body: NewApiKey = { ...shown(stored), key };
      // Clients of the peer read the key from there: its name is the key (clients, section 6).
      return reply.code(201).header('Location', `${API_KEYS}/${key}`).send(body);
    }),
  });

  routes(app, `${API_KEYS}/:key`, {
    GET: needs('admin', (request) => {
      const key = registry.credentials.apiKeys.get(idOfPath(request));
      if (key === undefined) throw notFound();
      return shown(key);
    }),

    PUT: needs('admin', async (request, reply) => {
      const name = pathName(request, 'key');
      const key = isPeerApiKey(name) ? peerKeyOf(request) : readBody(request, validateRestored);
      if (key.metadata.name !== (partsOfKey(name)?.id ?? name)) {
        throw new MonError('invalid', 'the name of the key does not match the path');
      }
      await apiKeys.restore(key, granterOf(request));
      return reply.code(201).send();
    }),

    DELETE: needs('admin', async (request, reply) => {
      await apiKeys.revoke(idOfPath(request), actorOf(request));
      return reply.code(204).send();
    }),
  });
}

function keyOf({ metadata }: CoreApiKey): readonly string[] {
  return [metadata.name];
}

function granterOf(request: FastifyRequest): Granter {
  return { actor: actorOf(request), scopes: request.principal.scopes };
}

/** @param lastUsed epoch seconds; null: never */
export function shownApiKey(key: ApiKey, lastUsed: number | null): CoreApiKey {
  const { id, username, description, scopes, namespace, createdAt, createdBy, expiresAt, hash } = key;
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
    hash,
  };
}
