import { expect, test } from 'vitest';
import { validateSettings } from '../../../../daemon/backend/config/validate-settings.ts';

const problemsOf = (inhibitions: object): string[] =>
  validateSettings({ inhibitions }).problems.map(({ path, message }) => `${path.join('.')}: ${message}`);

test('a valid inhibition rule is accepted', () => {
  const switchDown = { source: 'check=uplink status=crit', target: 'check!=uplink', equal: ['client.rack'] };
  expect(problemsOf({ 'switch-down': switchDown, all: { source: 'check=core', target: 'status>=warn' } })).toEqual([]);
});

test.each<{ name: string; rule: object; expectedProblem: RegExp }>([
  {
    name: 'a selector of unavailable attributes',
    rule: { source: 'output~x', target: 'a=b' },
    expectedProblem: /^inhibitions\.r\.source: output changes/,
  },
  {
    name: 'an invalid selector',
    rule: { source: 'a=b', target: 'status=' },
    expectedProblem: /^inhibitions\.r\.target: /,
  },
  { name: 'no selectors', rule: { source: 'a=b' }, expectedProblem: /^inhibitions\.r\.target: / },
  {
    name: 'an unknown attribute in equal',
    rule: { source: 'a=b', target: 'c=d', equal: ['rack'] },
    expectedProblem: /client\.datacenter/,
  },
  {
    name: 'an unknown attribute',
    rule: { source: 'a=b', target: 'c=d', equals: [] },
    expectedProblem: /^inhibitions\.r/,
  },
])('an inhibition rule with $name is rejected', ({ rule, expectedProblem }) => {
  expect(problemsOf({ r: rule }).join('\n')).toMatch(expectedProblem);
});

test.each([
  { count: 200, problems: [] },
  { count: 201, problems: ['inhibitions: must contain at most 200 definitions: combine some of them'] },
])('a configuration may have at most 200 inhibition rules: $count', ({ count, problems }) => {
  const rule = { source: 'check=uplink', target: 'check=ping' };
  const rules = Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${String(at)}`, rule]));
  expect(problemsOf(rules)).toEqual(problems);
});
