import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { newStashPathSchema, stashContentSchema, stashPathSchema, stashSchema } from '../../../shared/schemas/stash.ts';
import { livingStashes, readStashes } from './read.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import { STASH_DEPTH_MAX } from '../http/limits.ts';
import { sendList } from '../http/list.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { needs, needsUnlessOpen, routes } from '../http/route.ts';

const validateStash = validator(stashSchema);
const validateContent = validator(stashContentSchema);
const validatePath = validator(stashPathSchema);
const validateNewPath = validator(newStashPathSchema);

/** Small documents under a path (completion 1.6). */
export function stashRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { clock, stashes, store } = parts;

  routes(app, '/stashes', {
    GET: needs('read', (request, reply) => {
      const namespace = v1Namespace(parts);
      return sendList(request, reply, livingStashes(namespace, clock.now()), (some) =>
        readStashes(store, namespace, some, clock.now()),
      );
    }),

    POST: needsUnlessOpen('admin', async (request, reply) => {
      const { path, content, expire } = readBody(request, validateStash, STASH_DEPTH_MAX);
      await stashes.put(DEFAULT_NAMESPACE, { path, content, expireSeconds: expire });
      return reply.code(201).send({ path });
    }),
  });

  // Both names are in use (clients 1.16).
  for (const prefix of ['/stashes', '/stash']) {
    routes(app, `${prefix}/*`, {
      GET: needs('read', async (request) => {
        const path = stashPath(request);
        const [stash] = await readStashes(store, v1Namespace(parts), [{ path }], clock.now());
        if (stash === undefined) throw new MonError('not_found', `there is no stash ${path}`);
        return stash.content;
      }),

      POST: needsUnlessOpen('admin', async (request, reply) => {
        const path = validateNewPath(stashPath(request));
        await stashes.put(DEFAULT_NAMESPACE, { path, content: readBody(request, validateContent, STASH_DEPTH_MAX) });
        return reply.code(201).send({ path });
      }),

      DELETE: needsUnlessOpen('admin', async (request, reply) => {
        await stashes.remove(DEFAULT_NAMESPACE, stashPath(request), actorOf(request));
        return reply.code(204).send();
      }),
    });
  }
}

/** Everything behind the prefix, decoded once: slashes belong to it, and it may be empty (legacy-peer, Stashes). */
function stashPath(request: FastifyRequest): string {
  return validatePath((request.params as Readonly<Record<'*', string>>)['*']);
}
