import { actorOf } from '../access/actor.ts';
import type { Face } from '../http/face.ts';
import { issued, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';

/** Forgets what was reported of a check, on the wire of v1 or of ours. Accepted also when nothing is known of it, as at the peer. */
export function deletesCheck({ needs, namespaceOf }: Face, parts: ApiParts): ReturnType<Face['needs']> {
  return needs('resolve', async (request, reply) => {
    await parts.checks.remove(namespaceOf(request).name, pathName(request, 'check'), actorOf(request));
    return reply.code(202).send(issued(parts));
  });
}
