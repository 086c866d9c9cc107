import { z } from 'zod';
import { isAttributes } from '../../../shared/domain/attributes.ts';
import { MonError } from '../../../shared/errors.ts';
import {
  bulkEnvelopeSchema,
  bulkOperationSchema,
  type BulkResponse,
  type BulkOperation,
  type BulkRequest,
} from '../../../shared/schemas/bulk.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { creatorOf, refuseWithoutScope, type Principal } from '../access/principal.ts';
import { actorOf } from '../access/actor.ts';
import { parseBody, type ParsedBody } from '../http/json-body.ts';
import { runInChunks } from '../store/time-slice.ts';
import { requestedNamespace, type NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import type { MonHandlers } from '../http/route.ts';
import { refuseAgainstPolicy, type PolicyDependencies } from '../silences/policy.ts';
import type { Bulk } from './commands.ts';

/** Maximum number of problems in an error message: the operations of a script usually all have the same problem. */
const PROBLEMS_MAX = 10;

interface BulkDependencies extends NamespaceDependencies, PolicyDependencies {
  readonly bulk: Bulk;
  readonly clock: Clock;
}

/** Serves bulk requests, whose operations are applied in one commit. */
export function bulkOnMon(deps: BulkDependencies): MonHandlers<'bulk'> {
  const { bulk, clock } = deps;
  return {
    bulk: async (request): Promise<BulkResponse> => {
      const namespace = requestedNamespace(request, deps);
      const bulkRequest = setCreators(await validBulk(parseBody(request)), request.principal);
      for (const { op } of bulkRequest.operations)
        refuseWithoutScope(request.principal, op === 'resolve' ? op : 'silence');
      await runInChunks(refuseAgainstPolicy(deps, bulkRequest.operations, clock.now()));
      const actor = actorOf(request, claimedCreator(bulkRequest));
      return { results: await bulk.run(namespace.name, bulkRequest, actor) };
    },
  };
}

/** Validates the body of a bulk request in chunks. @throws MonError `invalid` */
async function validBulk({ value, strict }: ParsedBody): Promise<BulkRequest> {
  if (strict !== undefined) await runInChunks(validateOperations(strict));
  return await runInChunks(validateOperations(value));
}

function* validateOperations(value: unknown): Generator<void, BulkRequest, undefined> {
  const { data: envelope, error } = bulkEnvelopeSchema.safeParse(value);
  const issues: z.core.$ZodIssue[] = [];
  const operations: BulkOperation[] = [];
  for (const [index, operation] of (envelope?.operations ?? operationsOf(value)).entries()) {
    yield;
    const parsed = bulkOperationSchema.safeParse(operation);
    if (parsed.success) operations.push(parsed.data);
    else for (const issue of parsed.error.issues) issues.push(addOperationIndex(issue, index));
    if (issues.length >= PROBLEMS_MAX) break;
  }
  const all = [...issues, ...(error?.issues ?? [])].slice(0, PROBLEMS_MAX);
  if (envelope === undefined || all.length > 0) throw new MonError('invalid', problemsOf(new z.ZodError(all)));
  return { ...envelope, operations };
}

function addOperationIndex(issue: z.core.$ZodIssue, index: number): z.core.$ZodIssue {
  return { ...issue, path: ['operations', index, ...issue.path] };
}

/**
 * Returns the first operations of a bulk request that is otherwise invalid, so that their problems are reported, too.
 */
function operationsOf(value: unknown): readonly unknown[] {
  const operations = isAttributes(value) ? value['operations'] : undefined;
  return Array.isArray(operations) ? operations.slice(0, PROBLEMS_MAX) : [];
}

/** Sets the creators of new silences and the owners of acknowledgements according to the authenticated principal. */
function setCreators(bulkRequest: BulkRequest, principal: Principal): BulkRequest {
  const operations = bulkRequest.operations.map((operation) =>
    operation.op === 'silence'
      ? { ...operation, creator: creatorOf(principal, operation.creator) }
      : operation.op === 'acknowledge'
        ? { ...operation, owner: creatorOf(principal, operation.owner) }
        : operation,
  );
  return { ...bulkRequest, operations };
}

/**
 * Returns the creator that a bulk request names, or null. Silences that are restored are ignored, because they name
 * their original creator.
 */
function claimedCreator({ creator, operations }: BulkRequest): string | null {
  return creator ?? operations.find((operation) => operation.op === 'silence')?.creator ?? null;
}
