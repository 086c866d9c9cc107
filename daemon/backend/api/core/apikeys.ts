import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import {
  grantedApiKeySchema,
  restoredApiKeySchema,
  type CoreApiKey,
  type NewApiKey,
} from '../../../../shared/schemas/core/api-key.ts';
import type { Granter } from '../../pipeline/api-keys.ts';
import type { ApiKey } from '../../registry/credentials.ts';
import { CORE_PREFIX } from '../access.ts';
import { actorOf } from '../actor.ts';
import { readBody, validator } from '../json-body.ts';
import type { ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { needs, routes } from '../routes.ts';
import { behind, sendObjects, type ObjectSource } from './object-list.ts';

const validateGranted = validator(grantedApiKeySchema);
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

  routes(app, API_KEYS, {
    GET: needs('admin', (request, reply) => sendObjects(request, reply, [''], source)),

    POST: needs('admin', async (request, reply) => {
      const { stored, key } = await apiKeys.grant(readBody(request, validateGranted), granterOf(request));
      const body: NewApiKey = { ...shown(stored), key };
      return reply.code(201).header('Location', `${API_KEYS}/${stored.id}`).send(body);
    }),
  });

  routes(app, `${API_KEYS}/:key`, {
    GET: needs('admin', (request) => {
      const key = registry.credentials.apiKeys.get(pathName(request, 'key'));
      if (key === undefined) throw new MonError('not_found', `there is no API key ${pathName(request, 'key')}`);
      return shown(key);
    }),

    PUT: needs('admin', async (request, reply) => {
      const key = readBody(request, validateRestored);
      if (key.metadata.name !== pathName(request, 'key')) {
        throw new MonError('invalid', `the key ${key.metadata.name} does not match the path`);
      }
      await apiKeys.restore(key, granterOf(request));
      return reply.code(201).send();
    }),

    DELETE: needs('admin', async (request, reply) => {
      await apiKeys.revoke(pathName(request, 'key'), actorOf(request));
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
    namespace,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used: lastUsed,
    hash,
  };
}
