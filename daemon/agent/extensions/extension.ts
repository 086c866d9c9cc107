import { z } from 'zod';
import { errorMessage } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

/** What a built-in check found: an exit status as a plugin would have it, and one line about it. */
export interface Finding {
  readonly status: 0 | 1 | 2 | 3;
  readonly output: string;
}

export interface ExtensionContext {
  /** Aborted at the timeout of the check, or when the agent stops. */
  readonly signal: AbortSignal;
}

/**
 * A check that needs no program to be installed: `"extension": NAME`, its parameters in an attribute of the same name.
 */
export interface Extension {
  readonly name: string;
  /** @param parameters of the definition, tokens replaced; not validated yet */
  run(parameters: unknown, context: ExtensionContext): Promise<Finding>;
}

/**
 * An extension from the schema of its parameters and its probe. What the probe throws is UNKNOWN: it could not look, so
 * it must not say that something is down.
 */
export function defineExtension<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  probe: (parameters: z.infer<Schema>, context: ExtensionContext) => Finding | Promise<Finding>,
): Extension {
  return {
    name,
    async run(parameters, context) {
      const parsed = schema.safeParse(parameters ?? {});
      if (!parsed.success) {
        return finding(name, 3, `the attribute "${name}" of the check is not valid: ${problemsOf(parsed.error)}`);
      }
      try {
        return await probe(parsed.data, context);
      } catch (error) {
        return finding(name, 3, errorMessage(error));
      }
    },
  };
}

const WORDS = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'] as const;

/** `DISK WARNING - text`, on one line. */
export function finding(name: string, status: Finding['status'], text: string): Finding {
  return { status, output: `${name.toUpperCase()} ${WORDS[status]} - ${text.replace(/\s+/g, ' ').trim()}` };
}

/** A number, also as the text that a token becomes (reference 2.3.5). */
export const numberSchema = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
  z.number(),
);

/** Status of a measurement that is worse the larger it is. */
export function statusOver(value: number, limits: { readonly warning: number; readonly critical: number }): 0 | 1 | 2 {
  if (value >= limits.critical) return 2;
  return value >= limits.warning ? 1 : 0;
}

/** Status of a measurement that is worse the smaller it is. */
export function statusUnder(value: number, limits: { readonly warning: number; readonly critical: number }): 0 | 1 | 2 {
  if (value < limits.critical) return 2;
  return value < limits.warning ? 1 : 0;
}
