import type { FastifyInstance } from 'fastify';
import { withHooks, withoutHook, type CheckHooks } from '../../../../shared/domain/core/check-hooks.ts';
import { checkHooksSchema, coreHookSchema } from '../../../../shared/schemas/core/hook.ts';
import { CORE_PREFIX } from '../access.ts';
import { actorOf } from '../actor.ts';
import { readBody, validator } from '../json-body.ts';
import type { ApiParts } from '../parts.ts';
import { needs, routes } from '../routes.ts';
import { collectionRoutes, inNamespace, pathPart } from './collection.ts';
import { definitionCollection } from './definitions.ts';
import { notFound } from './errors.ts';

const validateHooks = validator(checkHooksSchema);

/** Hooks, which agents of the newer generation run after checks, and which checks name which of them. */
export function coreHookRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { definitionChanges } = parts;
  const collection = definitionCollection(parts, {
    kind: 'hooks',
    fieldRoot: 'hook',
    schema: coreHookSchema,
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
  const ofCheck = `${CORE_PREFIX}/namespaces/:namespace/checks/:name/hooks/:type`;

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
