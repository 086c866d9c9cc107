import {
  unchangedValue,
  commandLine,
  nameList,
  positiveTimeout,
  unlessEmpty,
  unlessFalse,
  type Tolerances,
} from './tolerance.ts';
import { windowsOfDays } from './tolerate-windows.ts';

/** Attributes that Sensu Core does not have, so that the schema alone validates them. */
const MON_ATTRIBUTES: Tolerances = {
  redact: unchangedValue,
  event_format: unchangedValue,
  retry: unchangedValue,
  concurrency: unchangedValue,
  queue_limit: unchangedValue,
  env_vars: unchangedValue,
};

/**
 * The tolerance of each attribute of a handler, for invalid values that Sensu Core accepts. Attributes that belong to
 * another type of handler count as custom attributes and are kept.
 */
export const HANDLER_TOLERANCES: Tolerances = {
  ...MON_ATTRIBUTES,
  command: commandLine,
  timeout: positiveTimeout,
  filter: unlessEmpty('no filter is used'),
  filters: nameList,
  severities: unchangedValue,
  mutator: unlessEmpty('no mutator is used'),
  handle_silenced: unchangedValue,
  handle_flapping: unchangedValue,
  handlers: nameList,
};

export const FILTER_TOLERANCES: Tolerances = { negate: unchangedValue, when: unlessFalse(windowsOfDays) };

export const MUTATOR_TOLERANCES: Tolerances = {
  command: commandLine,
  timeout: positiveTimeout,
  env_vars: unchangedValue,
};
