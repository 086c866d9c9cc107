import type { FastifyInstance } from 'fastify';
import { clearSilencedSchema, silencedSchema } from '../../../shared/schemas/silenced.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import type { Face } from '../http/face.ts';
import { readBody, validator } from '../http/json-body.ts';
import type { ApiParts } from '../http/parts.ts';
import { routes } from '../http/route.ts';
import { refuseV1AgainstPolicy } from './policy.ts';

const validateEntry = validator(silencedSchema);
const validateClear = validator(clearSilencedSchema);

/** Makes a silenced entry, on the wire of v1 or of ours. */
export function makesSilence({ needs, namespaceOf }: Face, parts: ApiParts): ReturnType<Face['needs']> {
  return needs('silence', async (request, reply) => {
    const { name } = namespaceOf(request);
    const submitted = readBody(request, validateEntry);
    const entry = { ...submitted, creator: creatorOf(request.principal, submitted.creator) };
    refuseV1AgainstPolicy(parts, entry);
    await parts.silenced.create(name, entry, actorOf(request, entry.creator));
    return reply.code(201).send();
  });
}

/** Ends a silenced entry, on the wire of v1 or of ours. */
export function clearRoutes(app: FastifyInstance, { silenced }: ApiParts, { path, needs, namespaceOf }: Face): void {
  routes(app, path, {
    POST: needs('silence', async (request, reply) => {
      const { name } = namespaceOf(request);
      await silenced.clear(name, readBody(request, validateClear), actorOf(request));
      return reply.code(204).send();
    }),
  });
}
