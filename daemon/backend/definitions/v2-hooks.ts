import type { FastifyInstance } from 'fastify';
import { withHooks, withoutHook, type CheckHooks } from '../../../shared/domain/v2/check-hooks.ts';
import { checkHooksSchema, v2HookSchema } from '../../../shared/schemas/v2/hook.ts';
import { V2_PREFIX } from '../access/principal.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import type { ApiParts } from '../http/parts.ts';
import { needs, routes } from '../http/route.ts';
import { collectionRoutes, inNamespace, pathPart } from '../http/v2-collection.ts';
import { definitionCollection } from './v2.ts';
import { notFound } from '../http/v2-errors.ts';

const validateHooks = validator(checkHooksSchema);

/** Hooks, which agents of the newer generation run after checks, and which checks name which of them. */
export function v2HookRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitionChanges } = parts;
  const collection = definitionCollection(parts, {
    kind: 'hooks',
    fieldRoot: 'hook',
    schema: v2HookSchema,
    configured: () => [],
    place: inNamespace,
  });
  collectionRoutes(app, parts, collection);

  const change = async (
    [namespace, name]: readonly [string, string],
    next: (hooks: CheckHooks) => CheckHooks,
    actor: Parameters<typeof definitionChanges.write>[4],
  ): Promise<void> => {
    await definitionChanges.write(
      'checks',
      namespace,
      name,
      (present) => {
        if (present === undefined) throw notFound();
        return { ...present, check_hooks: next(present.check_hooks ?? []).map((list) => mutable(list)) };
      },
      actor,
    );
  };
  const ofCheck = `${V2_PREFIX}/namespaces/:namespace/checks/:name/hooks/:type`;

  routes(app, ofCheck, {
    PUT: needs('admin', async (request, reply) => {
      const set = readBody(request, validateHooks);
      const check = [pathPart(request, 'namespace'), pathPart(request, 'name')] as const;
      await change(check, (hooks) => withHooks(hooks, set), actorOf(request));
      return reply.code(201).send();
    }),
  });

  routes(app, `${ofCheck}/hook/:hook`, {
    DELETE: needs('admin', async (request, reply) => {
      const check = [pathPart(request, 'namespace'), pathPart(request, 'name')] as const;
      const without = (hooks: CheckHooks): CheckHooks => {
        const left = withoutHook(hooks, pathPart(request, 'type'), pathPart(request, 'hook'));
        if (left === undefined) throw notFound();
        return left;
      };
      await change(check, without, actorOf(request));
      return reply.code(204).send();
    }),
  });
}

function mutable(list: CheckHooks[number]): Record<string, string[] | null> {
  return Object.fromEntries(Object.entries(list).map(([type, names]) => [type, names === null ? null : [...names]]));
}
