import type { z } from 'zod';
import { isSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import { checkNameSchema, checkSchema, type CheckDefinition } from '../../../shared/schemas/check.ts';
import { apiSettingsSchema, type ApiSettings } from '../../../shared/schemas/settings.ts';

/** Definitions by their name, and how the API listens. */
export interface ValidSettings {
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  readonly handlers: ReadonlyMap<string, Settings>;
  readonly filters: ReadonlyMap<string, Settings>;
  readonly mutators: ReadonlyMap<string, Settings>;
  readonly api: ApiSettings;
}

/** Something about the value at `path`. */
export interface Remark {
  readonly path: readonly string[];
  readonly message: string;
}

export interface Validation {
  /** Holds what is usable; only complete when there are no problems. */
  readonly valid: ValidSettings;
  readonly problems: readonly Remark[];
  readonly warnings: readonly Remark[];
}

/** Sections of this program. */
const SECTIONS: ReadonlySet<string> = new Set(['checks', 'handlers', 'filters', 'mutators', 'client', 'api']);

/** Sections with a meaning to the legacy service and none here. */
const LEGACY_SECTIONS: ReadonlySet<string> = new Set([
  'sensu',
  'transport',
  'redis',
  'rabbitmq',
  'extensions',
  'tessen',
]);

/** Handlers that are there without a definition (completion 1.9). */
const BUILT_IN_HANDLERS: ReadonlySet<string> = new Set(['debug', 'deregistration']);

/** Goes through everything and collects every problem, so that one start tells an operator all there is to mend. */
export function validateSettings(settings: Settings): Validation {
  const problems: Remark[] = [];
  const warnings: Remark[] = [];

  function check<T>(path: readonly string[], schema: z.ZodType<T>, value: unknown): T | undefined {
    const answer = schema.safeParse(value);
    if (answer.success) return answer.data;
    for (const issue of answer.error.issues) {
      problems.push({ path: [...path, ...issue.path.map(String)], message: issueMessage(issue) });
    }
    return undefined;
  }

  /** The definitions of a section that are objects at least. */
  function definitions(section: string): [name: string, definition: Settings][] {
    const found = settings[section] ?? {};
    if (!isSettings(found)) {
      problems.push({ path: [section], message: 'must be an object with one definition per name' });
      return [];
    }
    return Object.entries(found).filter((entry): entry is [string, Settings] => {
      if (!isSettings(entry[1])) problems.push({ path: [section, entry[0]], message: 'must be an object' });
      return isSettings(entry[1]);
    });
  }

  const checks = new Map<string, CheckDefinition>();
  for (const [name, definition] of definitions('checks')) {
    check(['checks', name], checkNameSchema, name);
    const valid = check(['checks', name], checkSchema, definition);
    if (valid !== undefined) checks.set(name, valid);
  }
  const handlers = new Map(definitions('handlers'));
  const valid: ValidSettings = {
    checks,
    handlers,
    filters: new Map(definitions('filters')),
    mutators: new Map(definitions('mutators')),
    api: check(['api'], apiSettingsSchema, settings['api'] ?? {}) ?? apiSettingsSchema.parse({}),
  };
  if (!isSettings(settings['client'] ?? {})) problems.push({ path: ['client'], message: 'must be an object' });

  for (const section of Object.keys(settings)) {
    if (LEGACY_SECTIONS.has(section)) {
      warnings.push({ path: [section], message: 'belongs to the legacy service; it has no effect here' });
    } else if (!SECTIONS.has(section)) {
      warnings.push({
        path: [section],
        message: 'is not a section of this program; it has no effect beyond GET /settings',
      });
    }
  }
  for (const attribute of Object.keys(valid.api)) {
    if (!Object.hasOwn(apiSettingsSchema.shape, attribute)) {
      warnings.push({ path: ['api', attribute], message: 'is not a setting of this program; it has no effect' });
    }
  }
  for (const [section, found] of [
    ['checks', checks],
    ['handlers', handlers],
  ] as const) {
    for (const [name, definition] of found) {
      for (const handler of handlerNames(definition)) {
        if (handlers.has(handler) || BUILT_IN_HANDLERS.has(handler)) continue;
        warnings.push({ path: [section, name], message: `names the handler "${handler}", which is not defined` });
      }
    }
  }
  return { valid, problems, warnings };
}

function handlerNames({ handler, handlers }: Settings): Set<string> {
  const names: unknown[] = [handler, ...(Array.isArray(handlers) ? (handlers as readonly unknown[]) : [])];
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** What is wrong and what is allowed, to stand behind the path of the value. */
function issueMessage({ message }: z.core.$ZodIssue): string {
  return message.replace(/^(?:Invalid input|Invalid option|Too small|Too big|Invalid string): /, '');
}
