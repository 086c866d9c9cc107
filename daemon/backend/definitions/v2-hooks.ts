import type { FastifyRequest } from 'fastify';
import { addHooks, removeHook, type CheckHooks } from '../../../shared/domain/v2/check-hooks.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { checkHooksSchema } from '../../../shared/schemas/v2/hook.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import type { V2Handlers } from '../http/route.ts';
import { objectHandlers, pathPart } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDependencies } from './routes-v2.ts';
import { doesNotExist } from '../http/v2-errors.ts';
import { changeHandler } from '../http/v2-object-response.ts';

const validateHooks = schemaValidator(checkHooksSchema);

/** Serves hooks in the v2 API, and assigns hooks to checks. Hooks are commands that v2 agents run after checks. */
export function hooksOnV2(deps: DefinitionDependencies): V2Handlers<'hooks'> {
  const { definitionChanges } = deps;
  const collection = definitionCollection(deps, { kind: 'hooks' });

  const change = async (
    request: FastifyRequest,
    next: (hooks: CheckHooks) => CheckHooks,
    actor: Actor,
  ): Promise<void> => {
    await definitionChanges.write(
      'checks',
      pathPart(request, 'namespace'),
      pathPart(request, 'name'),
      (present) => {
        if (present === undefined) throw doesNotExist();
        return { ...present, check_hooks: next(present.check_hooks ?? []).map((list) => copyHookList(list)) };
      },
      actor,
    );
  };
  return {
    ...objectHandlers(deps, collection),
    setOfCheck: changeHandler((request, actor) => {
      const set = readBody(request, validateHooks);
      return change(request, (hooks) => addHooks(hooks, set), actor);
    }),
    removeOfCheck: changeHandler((request, actor) => {
      const without = (hooks: CheckHooks): CheckHooks => {
        const left = removeHook(hooks, pathPart(request, 'type'), pathPart(request, 'hook'));
        if (left === undefined) throw doesNotExist();
        return left;
      };
      return change(request, without, actor);
    }),
  };
}

function copyHookList(list: CheckHooks[number]): Record<string, string[] | null> {
  return Object.fromEntries(Object.entries(list).map(([type, names]) => [type, names === null ? null : [...names]]));
}
