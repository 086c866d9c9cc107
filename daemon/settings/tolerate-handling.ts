import {
  asWritten,
  commandLine,
  nameList,
  positiveTimeout,
  unlessEmpty,
  unlessFalse,
  type Tolerances,
} from './tolerance.ts';
import { windowsOfDays } from './tolerate-windows.ts';

/** Attributes that Sensu Core does not have, so that the schema alone validates them. */
const OWN: Tolerances = {
  redact: asWritten,
  event_format: asWritten,
  retry: asWritten,
  concurrency: asWritten,
  queue_limit: asWritten,
  env_vars: asWritten,
};

/**
 * The tolerance of each attribute of a handler, for invalid values that Sensu Core accepts. Attributes that belong to
 * another type of handler count as custom attributes and are kept.
 */
export const HANDLER_TOLERANCES: Tolerances = {
  ...OWN,
  command: commandLine,
  timeout: positiveTimeout,
  filter: unlessEmpty('no filter is used'),
  filters: nameList,
  severities: asWritten,
  mutator: unlessEmpty('no mutator is used'),
  handle_silenced: asWritten,
  handle_flapping: asWritten,
  handlers: nameList,
};

export const FILTER_TOLERANCES: Tolerances = { negate: asWritten, when: unlessFalse(windowsOfDays) };

export const MUTATOR_TOLERANCES: Tolerances = { command: commandLine, timeout: positiveTimeout, env_vars: asWritten };
