import { resolveAfterOf } from '../../shared/domain/recovery.ts';
import { isSettings } from '../../shared/domain/merge-settings.ts';
import { cronProblem, dateProblem } from '../../shared/schemas/cron.ts';
import {
  asWritten,
  booleanOr,
  commandLine,
  nameList,
  positiveTimeout,
  tolerate,
  unlessFalse,
  integer,
  type Tolerance,
  type Tolerances,
} from './tolerance.ts';
import { windowsOfDays } from './tolerate-windows.ts';

const isPositive = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

/**
 * Returns true if Sensu Core validates the interval: it does not if the check has a cron schedule or is not published.
 */
const needsInterval: (definition: Readonly<Record<string, unknown>>) => boolean = ({ publish, cron }) =>
  publish !== false && (cron ?? false) === false;

const interval: Tolerance = (value, parts) => {
  if (isPositive(value) || needsInterval(parts.definition)) return value;
  return integer({ min: 1, used: 'it is left out' })(value, parts);
};

const cron: Tolerance = (value, { definition, remark }) => {
  if (value === false) {
    remark('is false, which counts as absent: remove it');
    return undefined;
  }
  const problem = typeof value === 'string' ? cronProblem(value) : 'must be a text';
  if (definition['publish'] !== false) {
    const ofDate = problem === undefined ? dateProblem(value as string) : undefined;
    if (ofDate !== undefined) remark(`${ofDate}, so the check runs only on request: fix or remove it`);
    return value;
  }
  if (problem === undefined) return value;
  remark(`${problem}: it is ignored because publish is false; fix or remove it`);
  return undefined;
};

const subscribers: Tolerance = (value, parts) => {
  const { standalone, publish } = parts.definition;
  if (standalone === true && !isTexts(value)) {
    parts.remark('is not a list of strings: it is ignored because standalone is true; fix or remove it');
    return undefined;
  }
  const names = nameList(value, parts);
  if (standalone !== true && publish !== false && Array.isArray(names) && names.length === 0) {
    parts.remark('has no subscription, so no agent runs this check: add one, or set publish to false');
  }
  return names;
};

const ttl: Tolerance = (value, { definition, remark }) => {
  const every = definition['interval'];
  if (isPositive(value) && isPositive(every) && value <= every) {
    remark(
      `is not greater than interval (${String(every)}): ${String(value)} is used, and a result may expire before the ` +
        'next one arrives; set a larger number',
    );
  }
  return value;
};

const resolveAfter: Tolerance = (value, { remark }) => {
  const used = resolveAfterOf(value);
  if (used === undefined) {
    remark('is neither a number of results (3) nor a time with its unit (5m): it is ignored; fix or remove it');
  }
  return used;
};

const type: Tolerance = (value, { remark }) => {
  if (value !== 'standard' && value !== 'metric') {
    remark('is neither standard nor metric: it counts as standard; write one of them, or remove it');
  }
  return value;
};

const dependencies: Tolerance = (value, { remark }) => {
  if (typeof value === 'string' && value !== '') {
    remark('is not a list: it is used as a list of one; write it in brackets');
    return [value];
  }
  if (!isTexts(value) || value === '') remark('is not a list of strings: other values are ignored; fix or remove it');
  return value;
};

/** Handles an attribute that only handlers read: any value is kept, and an unexpected value causes a warning. */
function forHandlers(expected: string, isExpected: (value: unknown) => boolean): Tolerance {
  return (value, { remark }) => {
    if (!isExpected(value))
      remark(`is not ${expected}: it is passed to handlers unchanged and has no other effect; fix or remove it`);
    return value;
  };
}

const hooks: Tolerance = (value, { remark }) => {
  if (!isSettings(value)) return value;
  const entries = Object.entries(value).map(([name, hook]) => {
    if (!isSettings(hook)) return [name, hook];
    const { definition, remarks } = tolerate(hook, HOOK);
    for (const { path, message } of remarks) remark(message, name, ...path);
    return [name, definition];
  });
  return Object.fromEntries(entries) as unknown;
};

const HOOK: Tolerances = { command: commandLine, timeout: positiveTimeout, stdin: asWritten };

const proxyRequests: Tolerance = (value, { remark }) => {
  if (!isSettings(value)) return value;
  const { definition, remarks } = tolerate(value, PROXY_REQUESTS);
  for (const { path, message } of remarks) remark(message, ...path);
  return definition;
};

const PROXY_REQUESTS: Tolerances = {
  client_attributes: (value, { remark }) => {
    if (isSettings(value) && Object.keys(value).length === 0) {
      remark('contains no attribute, so the check runs for every client: add one, or set subscribers instead');
    }
    return value;
  },
  splay: asWritten,
  splay_coverage: asWritten,
};

/** The tolerance of each attribute of a check, for invalid values that Sensu Core accepts (reference 2.2). */
export const CHECK_TOLERANCES: Tolerances = {
  type,
  command: commandLine,
  extension: asWritten,
  standalone: asWritten,
  subscribers,
  publish: asWritten,
  interval,
  cron,
  timeout: positiveTimeout,
  stdin: asWritten,
  ttl: unlessFalse(ttl),
  ttl_status: integer({ min: -Infinity, used: '1 is used instead' }),
  auto_resolve: booleanOr(true),
  force_resolve: booleanOr(false),
  resolve_after: resolveAfter,
  handle: booleanOr(true),
  handler: asWritten,
  handlers: nameList,
  low_flap_threshold: asWritten,
  high_flap_threshold: asWritten,
  source: unlessFalse(),
  truncate_output: asWritten,
  truncate_output_length: asWritten,
  aggregate: asWritten,
  aggregates: unlessFalse(),
  subdue: unlessFalse(windowsOfDays),
  hooks: unlessFalse(hooks),
  proxy_requests: unlessFalse(proxyRequests),
  occurrences: integer({ min: 1, used: '1 is used instead' }),
  refresh: integer({ min: 0, used: '1800 is used instead' }),
  dependencies,
  contact: forHandlers('a text', (value) => typeof value === 'string'),
  contacts: forHandlers('a list of texts', isTexts),
  notification: forHandlers('a text', (value) => typeof value === 'string'),
  influxdb: forHandlers('an object', isSettings),
  opsgenie: forHandlers('an object', isSettings),
};
