import { resolveAfterOf } from '../../shared/domain/recovery.ts';
import { isSettings } from '../../shared/domain/merge-settings.ts';
import { cronProblem, dateProblem } from '../../shared/schemas/cron.ts';
import {
  unchangedValue,
  booleanOr,
  commandLine,
  nameList,
  positiveTimeout,
  applyTolerances,
  unlessFalse,
  integerTolerance,
  type Tolerance,
  type Tolerances,
} from './tolerance.ts';
import { windowsOfDays } from './tolerate-windows.ts';

const isPositive = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/**
 * Returns true if Sensu Core validates the interval: it does not if the check has a cron schedule or is not published.
 */
const needsInterval: (definition: Readonly<Record<string, unknown>>) => boolean = ({ publish, cron }) =>
  publish !== false && (cron ?? false) === false;

const intervalTolerance: Tolerance = (value, parts) => {
  if (isPositive(value) || needsInterval(parts.definition)) return value;
  return integerTolerance({ min: 1, used: 'it is left out' })(value, parts);
};

const cronTolerance: Tolerance = (value, { definition, remark }) => {
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

const subscribersTolerance: Tolerance = (value, parts) => {
  const { standalone, publish } = parts.definition;
  if (standalone === true && !isListOfTexts(value)) {
    parts.remark('is not a list of strings: it is ignored because standalone is true; fix or remove it');
    return undefined;
  }
  const names = nameList(value, parts);
  if (standalone !== true && publish !== false && Array.isArray(names) && names.length === 0) {
    parts.remark('has no subscription, so no agent runs this check: add one, or set publish to false');
  }
  return names;
};

const ttlTolerance: Tolerance = (value, { definition, remark }) => {
  const every = definition['interval'];
  if (isPositive(value) && isPositive(every) && value <= every) {
    remark(
      `is not greater than interval (${String(every)}): ${String(value)} is used, and a result may expire before the ` +
        'next one arrives; set a larger number',
    );
  }
  return value;
};

const resolveAfterTolerance: Tolerance = (value, { remark }) => {
  const used = resolveAfterOf(value);
  if (used === undefined) {
    remark('is neither a number of results (3) nor a time with its unit (5m): it is ignored; fix or remove it');
  }
  return used;
};

const typeTolerance: Tolerance = (value, { remark }) => {
  if (value !== 'standard' && value !== 'metric') {
    remark('is neither standard nor metric: it counts as standard; write one of them, or remove it');
  }
  return value;
};

const dependenciesTolerance: Tolerance = (value, { remark }) => {
  if (typeof value === 'string' && value !== '') {
    remark('is not a list: it is used as a list of one; write it in brackets');
    return [value];
  }
  if (!isListOfTexts(value) || value === '')
    remark('is not a list of strings: other values are ignored; fix or remove it');
  return value;
};

/** Handles an attribute that only handlers read: any value is kept, and an unexpected value causes a warning. */
function handlerAttribute(expected: string, isExpected: (value: unknown) => boolean): Tolerance {
  return (value, { remark }) => {
    if (!isExpected(value))
      remark(`is not ${expected}: it is passed to handlers unchanged and has no other effect; fix or remove it`);
    return value;
  };
}

const hooksTolerance: Tolerance = (value, { remark }) => {
  if (!isSettings(value)) return value;
  const entries = Object.entries(value).map(([name, hook]) => {
    if (!isSettings(hook)) return [name, hook];
    const { definition, remarks } = applyTolerances(hook, HOOK_TOLERANCES);
    for (const { path, message } of remarks) remark(message, name, ...path);
    return [name, definition];
  });
  return Object.fromEntries(entries) as unknown;
};

const HOOK_TOLERANCES: Tolerances = { command: commandLine, timeout: positiveTimeout, stdin: unchangedValue };

const proxyRequests: Tolerance = (value, { remark }) => {
  if (!isSettings(value)) return value;
  const { definition, remarks } = applyTolerances(value, PROXY_REQUESTS);
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
  splay: unchangedValue,
  splay_coverage: unchangedValue,
};

/** The tolerance of each attribute of a check, for invalid values that Sensu Core accepts (reference 2.2). */
export const CHECK_TOLERANCES: Tolerances = {
  type: typeTolerance,
  command: commandLine,
  extension: unchangedValue,
  standalone: unchangedValue,
  subscribers: subscribersTolerance,
  publish: unchangedValue,
  interval: intervalTolerance,
  cron: cronTolerance,
  timeout: positiveTimeout,
  stdin: unchangedValue,
  ttl: unlessFalse(ttlTolerance),
  ttl_status: integerTolerance({ min: -Infinity, used: '1 is used instead' }),
  auto_resolve: booleanOr(true),
  force_resolve: booleanOr(false),
  resolve_after: resolveAfterTolerance,
  handle: booleanOr(true),
  handler: unchangedValue,
  handlers: nameList,
  low_flap_threshold: unchangedValue,
  high_flap_threshold: unchangedValue,
  source: unlessFalse(),
  truncate_output: unchangedValue,
  truncate_output_length: unchangedValue,
  aggregate: unchangedValue,
  aggregates: unlessFalse(),
  subdue: unlessFalse(windowsOfDays),
  hooks: unlessFalse(hooksTolerance),
  proxy_requests: unlessFalse(proxyRequests),
  occurrences: integerTolerance({ min: 1, used: '1 is used instead' }),
  refresh: integerTolerance({ min: 0, used: '1800 is used instead' }),
  dependencies: dependenciesTolerance,
  contact: handlerAttribute('a text', (value) => typeof value === 'string'),
  contacts: handlerAttribute('a list of texts', isListOfTexts),
  notification: handlerAttribute('a text', (value) => typeof value === 'string'),
  influxdb: handlerAttribute('an object', isSettings),
  opsgenie: handlerAttribute('an object', isSettings),
};
