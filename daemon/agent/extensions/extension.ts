import { z } from 'zod';
import { errorMessage } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

/** The outcome of a built-in check: an exit status like that of a plugin, and one line of output. */
export interface ExtensionResult {
  readonly status: 0 | 1 | 2 | 3;
  readonly output: string;
}

export interface ExtensionContext {
  /** Aborted at the time limit of the check, or when the agent stops. */
  readonly signal: AbortSignal;
}

/**
 * A built-in check, which needs no installed program. A check definition selects it with `"extension": NAME` and sets
 * its parameters in an attribute with the name of the extension.
 */
export interface Extension {
  readonly name: string;
  /**
   * @param parameters the parameters in the check definition: tokens are already replaced, but nothing is validated yet
   */
  run(parameters: unknown, context: ExtensionContext): Promise<ExtensionResult>;
}

/**
 * Defines a built-in check.
 *
 * @param schema validates the parameters; if they are invalid, the status is UNKNOWN
 * @param probe checks the target; if it throws, the status is UNKNOWN, because the state of the target is not known
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
        return extensionResult(
          name,
          3,
          `the attribute "${name}" of the check is not valid: ${problemsOf(parsed.error)}`,
        );
      }
      try {
        return await probe(parsed.data, context);
      } catch (error) {
        return extensionResult(name, 3, errorMessage(error));
      }
    },
  };
}

const STATUS_WORDS = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'] as const;

/** Returns a result whose output is one line such as `DISK WARNING - text`. */
export function extensionResult(name: string, status: ExtensionResult['status'], text: string): ExtensionResult {
  return { status, output: `${name.toUpperCase()} ${STATUS_WORDS[status]} - ${text.replace(/\s+/g, ' ').trim()}` };
}

/** A number, or a number as text, because the value of a token is always text (reference 2.3.5). */
export const numberSchema = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
  z.number(),
);

/** Returns the exit status for a value that must stay below its limits: 2 from `critical` on, 1 from `warning` on. */
export function statusForMaximum(
  value: number,
  limits: { readonly warning: number; readonly critical: number },
): 0 | 1 | 2 {
  if (value >= limits.critical) return 2;
  return value >= limits.warning ? 1 : 0;
}

/** Returns the exit status for a value that must not fall below its limits: 2 below `critical`, 1 below `warning`. */
export function statusForMinimum(
  value: number,
  limits: { readonly warning: number; readonly critical: number },
): 0 | 1 | 2 {
  if (value < limits.critical) return 2;
  return value < limits.warning ? 1 : 0;
}
