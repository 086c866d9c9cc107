import { z } from 'zod';
import { errorMessage } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

/** The outcome of a built-in check: an exit status as of a plugin, and one line of output. */
export interface ExtensionResult {
  readonly status: 0 | 1 | 2 | 3;
  readonly output: string;
}

export interface ExtensionContext {
  /** Aborted at the time limit of the check, or when the agent stops. */
  readonly signal: AbortSignal;
}

/**
 * A check that requires no installed program: `"extension": NAME`, with its parameters in an attribute of the same
 * name.
 */
export interface Extension {
  readonly name: string;
  /** @param parameters the parameters of the definition, with tokens replaced, but not validated */
  run(parameters: unknown, context: ExtensionContext): Promise<ExtensionResult>;
}

/**
 * Defines an extension by the schema of its parameters and its probe. If the probe throws, the status is UNKNOWN: the
 * probe could not look, so it must not report an outage.
 */
export function defineExtension<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  probe: (parameters: z.infer<Schema>, context: ExtensionContext) => ExtensionResult | Promise<ExtensionResult>,
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

/** Returns a finding whose output is `DISK WARNING - text`, on one line. */
export function finding(name: string, status: ExtensionResult['status'], text: string): ExtensionResult {
  return { status, output: `${name.toUpperCase()} ${WORDS[status]} - ${text.replace(/\s+/g, ' ').trim()}` };
}

/** A number, or the text of a number, as a replaced token yields it (reference 2.3.5). */
export const numberSchema = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
  z.number(),
);

/** Returns the status of a value for which higher is worse. */
export function statusOver(value: number, limits: { readonly warning: number; readonly critical: number }): 0 | 1 | 2 {
  if (value >= limits.critical) return 2;
  return value >= limits.warning ? 1 : 0;
}

/** Returns the status of a value for which lower is worse. */
export function statusUnder(value: number, limits: { readonly warning: number; readonly critical: number }): 0 | 1 | 2 {
  if (value < limits.critical) return 2;
  return value < limits.warning ? 1 : 0;
}
