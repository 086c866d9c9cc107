import { z } from 'zod';
import { MonError } from '../../../shared/errors.ts';
import { bulkSchema, type BulkAnswer, type BulkRequest } from '../../../shared/schemas/bulk.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { creatorOf, refuseWithoutScope, type Principal } from '../access/principal.ts';
import { actorOf } from '../access/actor.ts';
import { readBody } from '../http/json-body.ts';
import { askedNamespace, type NamespaceDeps } from '../namespaces/asked.ts';
import type { Clock } from '../ports.ts';
import type { OnMon } from '../http/route.ts';
import { refuseAgainstPolicy, type PolicyDeps } from '../silences/policy.ts';
import type { Bulk } from './write.ts';

/** Operations whose problems are told: a script that sends thousands of the same kind has read enough. */
const PROBLEMS_MAX = 10;

interface BulkDeps extends NamespaceDeps, PolicyDeps {
  readonly bulk: Bulk;
  readonly clock: Clock;
}

/** Many changes as one. */
export function bulkOnMon(deps: BulkDeps): OnMon<'bulk'> {
  const { bulk, clock } = deps;
  return {
    bulk: async (request): Promise<BulkAnswer> => {
      const namespace = askedNamespace(request, deps);
      const wanted = signed(readBody(request, validate), request.principal);
      for (const { op } of wanted.operations) refuseWithoutScope(request.principal, op === 'resolve' ? op : 'silence');
      refuseAgainstPolicy(deps, wanted.operations, clock.now());
      const actor = actorOf(request, claimedCreator(wanted));
      return { results: await bulk.run(namespace.name, wanted, actor) };
    },
  };
}

function validate(value: unknown): BulkRequest {
  const parsed = bulkSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MonError('invalid', problemsOf(new z.ZodError(parsed.error.issues.slice(0, PROBLEMS_MAX))));
}

/** With the name of whoever is authenticated on every new silence. */
function signed(wanted: BulkRequest, principal: Principal): BulkRequest {
  const operations = wanted.operations.map((operation) =>
    operation.op === 'silence' ? { ...operation, creator: creatorOf(principal, operation.creator) } : operation,
  );
  return { ...wanted, operations };
}

/** Who the silences say they are from. What is restored says who made it once, and not who brings it back. */
function claimedCreator({ creator, operations }: BulkRequest): string | null {
  return creator ?? operations.find((operation) => operation.op === 'silence')?.creator ?? null;
}
