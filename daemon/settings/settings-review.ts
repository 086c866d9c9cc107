import type { z } from 'zod';
import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { checkSchema, type CheckDefinition } from '../../shared/schemas/check.ts';
import { inSubmittedOrder } from '../../shared/schemas/submitted-order.ts';
import { freeNameSchema, nameSchema } from '../../shared/schemas/name.ts';
import { problemOf } from '../../shared/schemas/problems.ts';
import { applyTolerances, type Tolerances } from './tolerance.ts';
import { CHECK_TOLERANCES } from './tolerate-check.ts';
import type { Remark } from './remark.ts';

/** Validates merged settings and collects every problem instead of stopping at the first. */
export class SettingsReview {
  readonly problems: Remark[] = [];
  readonly warnings: Remark[] = [];
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** @returns the parsed value; undefined if it breaks a rule of the schema. Then the problem is recorded. */
  value<T>(path: readonly string[], schema: z.ZodType<T>, value: unknown): T | undefined {
    const answer = schema.safeParse(value);
    if (answer.success) return answer.data;
    for (const issue of answer.error.issues) {
      this.problems.push({ path: [...path, ...issue.path.map(String)], message: problemOf(issue) });
    }
    return undefined;
  }

  /**
   * Returns the valid definitions of a section. Before, invalid values that Sensu Core accepts are replaced
   * (`Tolerance`).
   */
  validDefinitions<T extends object>(
    section: string,
    schema: z.ZodType<T>,
    tolerances: Tolerances,
    names: z.ZodType<string> = freeNameSchema,
  ): Map<string, T> {
    const valid = new Map<string, T>();
    for (const [name, written] of this.#definitions(section)) {
      this.value([section, name], names, name);
      const { definition, remarks } = applyTolerances(written, tolerances);
      this.warnings.push(...remarks.map(({ path, message }) => ({ path: [section, name, ...path], message })));
      const value = this.value([section, name], schema, definition);
      if (value !== undefined) valid.set(name, inSubmittedOrder(value, written));
    }
    return valid;
  }

  /** Returns the valid definitions of the `checks` section (reference 2.2). */
  checks(): Map<string, CheckDefinition> {
    return this.validDefinitions('checks', checkSchema, CHECK_TOLERANCES, nameSchema);
  }

  /** Returns the definitions of a section that are objects. All others are recorded as problems. */
  #definitions(section: string): [name: string, definition: Settings][] {
    const definitions = this.#settings[section] ?? {};
    if (!isSettings(definitions)) {
      this.problems.push({ path: [section], message: 'must be an object that maps each name to its definition' });
      return [];
    }
    return Object.entries(definitions).filter((entry): entry is [string, Settings] => {
      if (!isSettings(entry[1])) this.problems.push({ path: [section, entry[0]], message: 'must be an object' });
      return isSettings(entry[1]);
    });
  }
}
