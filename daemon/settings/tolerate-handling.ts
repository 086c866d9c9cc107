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

/** Attributes that only this program has: the schema alone validates them. */
const OWN: Tolerances = {
  redact: asWritten,
  event_format: asWritten,
  retry: asWritten,
  concurrency: asWritten,
  queue_limit: asWritten,
  env_vars: asWritten,
};

/** The tolerances of handlers. Attributes of another kind of handler are custom attributes, and are kept. */
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
