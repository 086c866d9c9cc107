import { withHooks, withoutHook, type CheckHooks } from '../../../shared/domain/v2/check-hooks.ts';
import { checkHooksSchema, v2HookSchema } from '../../../shared/schemas/v2/hook.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import type { OnV2 } from '../http/route.ts';
import { inNamespace, objectHandlers, pathPart } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDeps } from './v2.ts';
import { notFound } from '../http/v2-errors.ts';

const validateHooks = validator(checkHooksSchema);

/** Hooks, which agents of the newer generation run after checks, and which checks name which of them. */
export function hooksOnV2(deps: DefinitionDeps): OnV2<'hooks'> {
  const { definitionChanges } = deps;
  const collection = definitionCollection(deps, {
    kind: 'hooks',
    fieldRoot: 'hook',
    schema: v2HookSchema,
    configured: () => [],
    place: inNamespace,
  });

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
  return {
    ...objectHandlers(deps, collection),
    setOfCheck: async (request, reply) => {
      const set = readBody(request, validateHooks);
      const check = [pathPart(request, 'namespace'), pathPart(request, 'name')] as const;
      await change(check, (hooks) => withHooks(hooks, set), actorOf(request));
      return reply.send();
    },
    removeOfCheck: async (request, reply) => {
      const check = [pathPart(request, 'namespace'), pathPart(request, 'name')] as const;
      const without = (hooks: CheckHooks): CheckHooks => {
        const left = withoutHook(hooks, pathPart(request, 'type'), pathPart(request, 'hook'));
        if (left === undefined) throw notFound();
        return left;
      };
      await change(check, without, actorOf(request));
      return reply.send();
    },
  };
}

function mutable(list: CheckHooks[number]): Record<string, string[] | null> {
  return Object.fromEntries(Object.entries(list).map(([type, names]) => [type, names === null ? null : [...names]]));
}
