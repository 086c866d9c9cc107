import { isSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import type { CheckDefinition } from '../../../shared/schemas/check.ts';
import { apiSettingsSchema, type ApiSettings } from '../../../shared/schemas/settings.ts';
import { SettingsReview, type Remark } from '../../settings/settings-review.ts';

/** Definitions by their name, and how the API listens. */
export interface ValidSettings {
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  readonly handlers: ReadonlyMap<string, Settings>;
  readonly filters: ReadonlyMap<string, Settings>;
  readonly mutators: ReadonlyMap<string, Settings>;
  readonly api: ApiSettings;
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
  const review = new SettingsReview(settings);
  const { problems, warnings } = review;
  const checks = review.checks();
  const handlers = new Map(review.definitions('handlers'));
  const valid: ValidSettings = {
    checks,
    handlers,
    filters: new Map(review.definitions('filters')),
    mutators: new Map(review.definitions('mutators')),
    api: review.value(['api'], apiSettingsSchema, settings['api'] ?? {}) ?? apiSettingsSchema.parse({}),
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
