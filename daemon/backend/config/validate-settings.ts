import { isSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import { clientSchema } from '../../../shared/schemas/client.ts';
import { filterSchema } from '../../../shared/schemas/filter.ts';
import { handlerSchema } from '../../../shared/schemas/handler.ts';
import { inhibitionSchema } from '../../../shared/schemas/inhibition.ts';
import { onCallScheduleSchema, personSchema } from '../../../shared/schemas/on-call.ts';
import { mutatorSchema } from '../../../shared/schemas/mutator.ts';
import { nameSchema } from '../../../shared/schemas/name.ts';
import { isPasswordHash } from '../../../shared/schemas/password-hash.ts';
import {
  apiSettingsSchema,
  v1SettingsSchema,
  programSettingsSchema,
  type ApiSettings,
  type ProgramSettings,
} from '../../../shared/schemas/settings.ts';
import { SettingsReview } from '../../settings/settings-review.ts';
import { FILTER_TOLERANCES, HANDLER_TOLERANCES, MUTATOR_TOLERANCES } from '../../settings/tolerate-handling.ts';
import { configuredDefinitionWarnings } from './definition-warnings.ts';
import { inhibitionProblems } from './inhibition-problems.ts';
import { onCallProblems, onCallWarnings } from './on-call-remarks.ts';
import { proxyRequestProblems, usableFilters } from './expression-problems.ts';
import type { ValidDefinitions } from '../model/config/valid-definitions.ts';
import { type Remark } from '../../settings/remark.ts';

export interface ValidSettings extends ValidDefinitions {
  readonly api: ApiSettings;
  readonly program: ProgramSettings;
}

export interface Validation {
  /** The settings that are valid. They are complete only if `problems` is empty. */
  readonly valid: ValidSettings;
  readonly problems: readonly Remark[];
  readonly warnings: readonly Remark[];
}

/** The configuration sections that mon uses. */
const SUPPORTED_SECTIONS: ReadonlySet<string> = new Set([
  'checks',
  'handlers',
  'filters',
  'mutators',
  'inhibitions',
  'people',
  'schedules',
  'client',
  'agent',
  'api',
  'sensu',
  ...Object.keys(programSettingsSchema.shape),
]);

/** Configuration sections that Sensu Core uses and mon ignores. */
const V1_SECTIONS: ReadonlySet<string> = new Set(['transport', 'redis', 'rabbitmq', 'extensions', 'tessen']);

/**
 * The schema of the section `client`, which only agents use. Name and address are optional, because an agent determines
 * them itself (completion 1.10).
 */
const clientSectionSchema = clientSchema.partial({ name: true, address: true });

/**
 * Validates all settings and collects every problem, so that an operator sees all problems at once.
 *
 * @param nowMs the time from which schedules are searched for gaps, in epoch milliseconds
 */
export function validateSettings(settings: Settings, nowMs = Date.now()): Validation {
  const review = new SettingsReview(settings);
  const { problems, warnings } = review;
  const valid: ValidSettings = {
    checks: review.checks(),
    handlers: review.validDefinitions('handlers', handlerSchema, HANDLER_TOLERANCES),
    filters: usableFilters(review.validDefinitions('filters', filterSchema, FILTER_TOLERANCES), warnings),
    mutators: review.validDefinitions('mutators', mutatorSchema, MUTATOR_TOLERANCES),
    inhibitions: review.validDefinitions('inhibitions', inhibitionSchema, {}),
    people: review.validDefinitions('people', personSchema, {}, nameSchema),
    schedules: review.validDefinitions('schedules', onCallScheduleSchema, {}, nameSchema),
    keepalives: (review.value(['sensu'], v1SettingsSchema, settings['sensu'] ?? {}) ?? v1SettingsSchema.parse({}))
      .keepalives,
    api: review.value(['api'], apiSettingsSchema, settings['api'] ?? {}) ?? apiSettingsSchema.parse({}),
    program: review.value([], programSettingsSchema, settings) ?? programSettingsSchema.parse({}),
  };
  if (isSettings(settings['client'] ?? {})) {
    review.value(['client'], clientSectionSchema, settings['client'] ?? {});
  } else {
    problems.push({ path: ['client'], message: 'must be an object' });
  }

  problems.push(...inhibitionProblems(valid.inhibitions), ...onCallProblems(valid));
  warnings.push(
    ...proxyRequestProblems(valid.checks),
    ...sectionWarnings(settings),
    ...apiWarnings(valid.api),
    ...configuredDefinitionWarnings(valid),
    ...onCallWarnings(valid, nowMs),
  );
  return { valid, problems, warnings };
}

function* sectionWarnings(settings: Settings): Generator<Remark> {
  for (const attribute of Object.keys(isSettings(settings['sensu']) ? settings['sensu'] : {})) {
    if (Object.hasOwn(v1SettingsSchema.shape, attribute)) continue;
    yield { path: ['sensu', attribute], message: 'belongs to Sensu Core and has no effect here' };
  }
  for (const section of Object.keys(settings)) {
    if (V1_SECTIONS.has(section)) {
      yield { path: [section], message: 'belongs to Sensu Core and has no effect here' };
    } else if (!SUPPORTED_SECTIONS.has(section)) {
      yield {
        path: [section],
        message: 'is not a known section: the section has no effect except that GET /settings shows it',
      };
    }
  }
}

function* apiWarnings(api: ApiSettings): Generator<Remark> {
  for (const attribute of Object.keys(api)) {
    if (Object.hasOwn(apiSettingsSchema.shape, attribute)) continue;
    yield { path: ['api', attribute], message: 'is not a known setting and has no effect' };
  }
  if (api.password !== undefined && !isPasswordHash(api.password)) {
    yield {
      path: ['api', 'password'],
      message: 'is a password in plain text: use the hash from mon-backend hash-password',
    };
  }
}
