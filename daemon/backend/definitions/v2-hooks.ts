import type { FastifyRequest } from 'fastify';
import { withHooks, withoutHook, type CheckHooks } from '../../../shared/domain/v2/check-hooks.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { checkHooksSchema } from '../../../shared/schemas/v2/hook.ts';
import { readBody, validator } from '../http/json-body.ts';
import type { OnV2 } from '../http/route.ts';
import { objectHandlers, pathPart } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDeps } from './routes-v2.ts';
import { doesNotExist } from '../http/v2-errors.ts';
import { changing } from '../http/v2-object-response.ts';

const validateHooks = validator(checkHooksSchema);

/** Serves hooks in the v2 API, and assigns hooks to checks. Hooks are commands that v2 agents run after checks. */
export function hooksOnV2(deps: DefinitionDeps): OnV2<'hooks'> {
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
        return { ...present, check_hooks: next(present.check_hooks ?? []).map((list) => mutable(list)) };
      },
      actor,
    );
  };
  return {
    ...objectHandlers(deps, collection),
    setOfCheck: changing((request, actor) => {
      const set = readBody(request, validateHooks);
      return change(request, (hooks) => withHooks(hooks, set), actor);
    }),
    removeOfCheck: changing((request, actor) => {
      const without = (hooks: CheckHooks): CheckHooks => {
        const left = withoutHook(hooks, pathPart(request, 'type'), pathPart(request, 'hook'));
        if (left === undefined) throw doesNotExist();
        return left;
      };
      return change(request, without, actor);
    }),
  };
}

function mutable(list: CheckHooks[number]): Record<string, string[] | null> {
  return Object.fromEntries(Object.entries(list).map(([type, names]) => [type, names === null ? null : [...names]]));
}
