import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { BATCH_MAX, type BatchAnswer, type SubmittedResult } from '../../../../shared/schemas/result.ts';
import { validateResult } from '../../pipeline/validate-result.ts';
import { parseBody, validateBoth, type ParsedBody } from '../json-body.ts';
import { BATCH_BYTES_MAX } from '../limits.ts';
import type { ApiParts } from '../parts.ts';
import { routes } from '../routes.ts';

/** Many results at once, for scripts: what is valid is stored together, the rest is named by its index. */
export function batchRoutes(app: FastifyInstance, { results }: ApiParts): void {
  routes(
    app,
    '/api/mon/v1/results',
    {
      POST: async (request, reply) => {
        const { valid, rejected } = validateBatch(parseBody(request));
        if (valid.length > 0) await results.submit(DEFAULT_NAMESPACE, valid);
        return reply.code(202).send({ accepted: valid.length, rejected } satisfies BatchAnswer);
      },
    },
    { bodyLimit: BATCH_BYTES_MAX },
  );
}

function validateBatch({ value, strict }: ParsedBody): {
  readonly valid: SubmittedResult[];
  readonly rejected: BatchAnswer['rejected'];
} {
  if (!Array.isArray(value)) throw new MonError('invalid', 'the body must be an array of results');
  if (value.length > BATCH_MAX) {
    throw new MonError('invalid', `${String(value.length)} results are too many: send at most ${String(BATCH_MAX)}`);
  }
  const items: readonly unknown[] = value;
  const strictItems = strict as readonly unknown[] | undefined;
  const valid: SubmittedResult[] = [];
  const rejected: { index: number; error: string }[] = [];
  for (const [index, item] of items.entries()) {
    try {
      valid.push(validateBoth({ value: item, strict: strictItems?.[index] }, validateResult));
    } catch (error) {
      if (!(error instanceof MonError)) throw error;
      rejected.push({ index, error: error.message });
    }
  }
  return { valid, rejected };
}
