import { expect, test } from 'vitest';
import { validateSettings } from '../../../../daemon/backend/config/validate-settings.ts';

const problemsOf = (inhibitions: object): string[] =>
  validateSettings({ inhibitions }).problems.map(({ path, message }) => `${path.join('.')}: ${message}`);

test('a valid inhibition rule is accepted', () => {
  const switchDown = { when: 'check=uplink status=crit', quiet: 'check!=uplink', equal: ['client.rack'] };
  expect(problemsOf({ 'switch-down': switchDown, all: { when: 'check=core', quiet: 'status>=warn' } })).toEqual([]);
});

test.each<{ name: string; rule: object; says: RegExp }>([
  {
    name: 'a search of unavailable attributes',
    rule: { when: 'output~x', quiet: 'a=b' },
    says: /^inhibitions\.r\.when: output changes/,
  },
  { name: 'an invalid search', rule: { when: 'a=b', quiet: 'status=' }, says: /^inhibitions\.r\.quiet: / },
  { name: 'no target', rule: { when: 'a=b' }, says: /^inhibitions\.r\.quiet: / },
  {
    name: 'an unknown attribute in equal',
    rule: { when: 'a=b', quiet: 'c=d', equal: ['rack'] },
    says: /client\.datacenter/,
  },
  { name: 'an unknown key', rule: { when: 'a=b', quiet: 'c=d', equals: [] }, says: /^inhibitions\.r/ },
])('an inhibition rule with $name is rejected', ({ rule, says }) => {
  expect(problemsOf({ r: rule }).join('\n')).toMatch(says);
});

test.each([
  { count: 200, problems: [] },
  { count: 201, problems: ['inhibitions: may have 200 definitions: put some together'] },
])('a configuration has at most 200 inhibition rules: $count', ({ count, problems }) => {
  const rule = { when: 'check=uplink', quiet: 'check=ping' };
  const rules = Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${String(at)}`, rule]));
  expect(problemsOf(rules)).toEqual(problems);
});
