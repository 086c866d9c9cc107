import { expect, test } from 'vitest';
import { validateSettings } from '../../../daemon/backend/config/validate-settings.ts';

type Definition = Readonly<Record<string, unknown>>;

/** The warnings about a definition, and the definition that is used in its place. */
interface Judged {
  readonly warnings: readonly string[];
  readonly definition: Definition | undefined;
}

function judge(section: 'checks' | 'handlers' | 'filters' | 'mutators', definition: Definition): Judged {
  const { valid, problems, warnings } = validateSettings({ [section]: { x: definition } });
  expect(problems).toEqual([]);
  return {
    warnings: warnings.map(({ path, message }) => `${path.slice(2).join('.')} ${message}`),
    definition: valid[section].get('x'),
  };
}

const check = (attributes: object): Judged =>
  judge('checks', { command: 'true', interval: 60, subscribers: ['base'], ...attributes });
const pipe = (attributes: object): Judged => judge('handlers', { type: 'pipe', command: 'true', ...attributes });
const filter = (attributes: object): Judged => judge('filters', { attributes: {}, ...attributes });

test.each<{ attributes: Definition; usedValue: unknown; warning: string }>([
  { attributes: { occurrences: '3' }, usedValue: 3, warning: 'is in quotes: the number 3 is used; remove the quotes' },
  {
    attributes: { occurrences: 0 },
    usedValue: undefined,
    warning: 'is not a whole number from 1 on: 1 is used instead; set such a number, or remove it',
  },
  {
    attributes: { refresh: '1800' },
    usedValue: 1800,
    warning: 'is in quotes: the number 1800 is used; remove the quotes',
  },
  {
    attributes: { refresh: 'often' },
    usedValue: undefined,
    warning: 'is not a whole number from 0 on: 1800 is used instead; set such a number, or remove it',
  },
  { attributes: { ttl_status: '1' }, usedValue: 1, warning: 'is in quotes: the number 1 is used; remove the quotes' },
  {
    attributes: { type: 'metrics' },
    usedValue: 'metrics',
    warning: 'is neither standard nor metric: it counts as standard; write one of them, or remove it',
  },
  {
    attributes: { ttl: 60 },
    usedValue: 60,
    warning:
      'is not greater than interval (60): 60 is used, and a result may expire before the next one arrives; set a larger number',
  },
  { attributes: { ttl: false }, usedValue: undefined, warning: 'is false, which counts as absent: remove it' },
  {
    attributes: { timeout: 0 },
    usedValue: undefined,
    warning: 'is not above 0: it is ignored; set the seconds that a run may take, or remove it',
  },
  {
    attributes: { interval: false, cron: '* * * * *' },
    usedValue: undefined,
    warning: 'is not a whole number from 1 on: it is left out; set such a number, or remove it',
  },
  {
    attributes: { cron: 'never', publish: false },
    usedValue: undefined,
    warning:
      'must have five fields: minute, hour, day of the month, month, day of the week: it is ignored because publish is false; fix or remove it',
  },
  {
    attributes: { dependencies: 'db/ping' },
    usedValue: ['db/ping'],
    warning: 'is not a list: it is used as a list of one; write it in brackets',
  },
  {
    attributes: { handle: 'false' },
    usedValue: true,
    warning: 'is neither true nor false: true is used instead; write true or false, without quotes',
  },
  {
    attributes: { auto_resolve: 0 },
    usedValue: true,
    warning: 'is neither true nor false: true is used instead; write true or false, without quotes',
  },
  {
    attributes: { force_resolve: 'yes' },
    usedValue: false,
    warning: 'is neither true nor false: false is used instead; write true or false, without quotes',
  },
  {
    attributes: { contact: { email: 'ops@example.org' } },
    usedValue: { email: 'ops@example.org' },
    warning: 'is not a text: it is passed to handlers unchanged and has no other effect; fix or remove it',
  },
  {
    attributes: { opsgenie: 'team' },
    usedValue: 'team',
    warning: 'is not an object: it is passed to handlers unchanged and has no other effect; fix or remove it',
  },
  {
    attributes: { subscribers: [] },
    usedValue: [],
    warning: 'has no subscription, so no agent runs this check: add one, or set publish to false',
  },
  {
    attributes: { subscribers: 'base', standalone: true },
    usedValue: undefined,
    warning: 'is not a list of strings: it is ignored because standalone is true; fix or remove it',
  },
  {
    attributes: { handlers: [''] },
    usedValue: [],
    warning: 'contains an empty name: it is ignored; remove it',
  },
  {
    attributes: { command: '' },
    usedValue: ':',
    warning: 'is empty: ":" is used instead and does nothing; set a command',
  },
])('a check with $attributes is accepted with a warning', ({ attributes, usedValue, warning }) => {
  const [attribute = ''] = Object.keys(attributes);
  const { warnings, definition } = check(attributes);
  expect(warnings).toContain(`${attribute} ${warning}`);
  expect(definition?.[attribute]).toEqual(usedValue);
});

test('a check attribute that is null counts as not set, without a warning', () => {
  const attributes = ['publish', 'cron', 'timeout', 'ttl', 'handlers', 'hooks', 'subdue', 'occurrences', 'contact'];
  expect(check(Object.fromEntries(attributes.map((name) => [name, null])))).toEqual({
    warnings: [],
    definition: { command: 'true', interval: 60, subscribers: ['base'] },
  });
  expect(pipe({ filters: null, severities: null, mutator: null, timeout: null }).warnings).toEqual([]);
});

test('unknown attributes of a check are kept unchanged, even null', () => {
  expect(check({ team: null, custom: [''] }).definition).toMatchObject({ team: null, custom: [''] });
});

test('a check with publish: false and no subscription is accepted, because remediation may request the check', () => {
  expect(check({ subscribers: [], publish: false, interval: undefined }).warnings).toEqual([]);
});

test('a warning about a value inside a check attribute names the path of the value', () => {
  const { warnings, definition } = check({
    hooks: { critical: { command: '', timeout: 0 } },
    proxy_requests: { client_attributes: {} },
    subdue: { days: { monday: [{ begin: '09:00', end: '10:00 UTC' }] } },
  });
  expect(warnings).toEqual([
    'subdue.days.monday.0 has different time zones in begin and end: UTC is used for both; add the same zone to both, or to none',
    'hooks.critical.command is empty: ":" is used instead and does nothing; set a command',
    'hooks.critical.timeout is not above 0: it is ignored; set the seconds that a run may take, or remove it',
    'proxy_requests.client_attributes contains no attribute, so the check runs for every client: add one, or set subscribers instead',
  ]);
  expect(definition).toMatchObject({
    hooks: { critical: { command: ':' } },
    subdue: { days: { monday: [{ begin: '09:00 UTC', end: '10:00 UTC' }] } },
  });
});

test.each(['9PM CET', '21:00 BST', '9:00 PM MEZ', '9PM PT', '21:00 msk'])(
  'the time zone %s, which Sensu Core does not know, is treated as local time',
  (begin) => {
    const { warnings, definition } = check({ subdue: { days: { all: [{ begin, end: '6AM' }] } } });
    const zone = begin.split(' ').at(-1) ?? '';
    expect(warnings).toEqual([
      `subdue.days.all.0.begin uses the time zone "${zone}", which Sensu Core does not know: local time is used, ` +
        'as in Sensu Core; use UTC, an offset such as +02:00, or a name such as Europe/Berlin',
    ]);
    expect(definition).toMatchObject({
      subdue: { days: { all: [{ begin: begin.slice(0, -zone.length - 1), end: '6AM' }] } },
    });
  },
);

test('a time window with an unknown time zone is rejected', () => {
  const subdue = { days: { all: [{ begin: '9PM Europe/Nowhere', end: '6AM' }] } };
  const { problems } = validateSettings({
    checks: { x: { command: 'true', interval: 60, subscribers: ['a'], subdue } },
  });
  expect(problems[0]?.message).toMatch(/^"Europe\/Nowhere" is not a time zone/);
});

test.each([
  ['without days', { begin: '5PM', end: '9AM' }, 'must be an object of days'],
  ['beside a list of days', { days: ['monday'], begin: '5PM', end: '9AM' }, 'must be an object of days'],
  ['in a day without a list', { days: { monday: { begin: '5PM', end: '9AM' } } }, 'must be a list of windows'],
])('a time window %s is rejected with the correct form', (_where, subdue, message) => {
  const { problems } = validateSettings({
    checks: { x: { command: 'true', interval: 60, subscribers: ['a'], subdue } },
  });
  expect(problems.map(({ message: text }) => text)).toEqual([
    expect.stringMatching(new RegExp(`^${message}.*write {"days": {"all": `)),
  ]);
});

test('definitions of handlers and filters get the same warnings as definitions of checks', () => {
  expect(pipe({ filter: '', timeout: -1 })).toEqual({
    warnings: [
      'timeout is not above 0: it is ignored; set the seconds that a run may take, or remove it',
      'filter is empty: no filter is used; write a name, or remove it',
    ],
    definition: { type: 'pipe', command: 'true' },
  });
  expect(filter({ when: { days: {} } }).warnings).toEqual([
    'when.days has no time window, so it never applies: add a day with a window, or remove it',
  ]);
  expect(filter({ when: false }).definition).toEqual({ attributes: {} });
});
