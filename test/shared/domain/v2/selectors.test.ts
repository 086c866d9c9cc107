import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFieldPath, isSelected, parseV2Selector } from '../../../../shared/domain/v2/selectors.ts';

const EVENT = {
  check: {
    metadata: { name: 'disk', namespace: 'prod', labels: { region: 'eu-1' } },
    status: 2,
    handlers: ['slack', 'pager'],
    publish: true,
    runtime_assets: null,
  },
  entity: { metadata: { name: 'web-1' }, subscriptions: ['linux', 'entity:web-1'] },
};

function selects(text: string): boolean | string {
  const selector = parseV2Selector(text);
  return selector.kind === 'problem'
    ? selector.message
    : isSelected(selector, (name) => readFieldPath({ event: EVENT }, name));
}

describe('a selector of the v2 API', () => {
  test.each<[string, boolean]>([
    ['event.check.name == disk', true],
    ['event.check.name == "disk"', true],
    ["event.check.name=='disk'", true],
    ['event.check.name != disk', false],
    ['event.check.namespace == prod', true],
    ['event.check.status == 2', true],
    ['event.check.status in [1, 2]', true],
    ['event.check.status notin [1,2]', false],
    ['event.check.publish == true', true],
    ['event.check.labels.region matches eu', true],
    ['event.check.name matches "is"', true],
    ['event.check.name matches us', false],
    ['slack in event.check.handlers', true],
    ['"sla" in event.check.handlers', false],
    ['mail notin event.check.handlers', true],
    ['event.check.handlers == "slack,pager"', true],
    ['"entity:web-1" in event.entity.subscriptions', true],
    ['event.entity.name == web-1 && event.check.status == 2', true],
    ['event.entity.name == web-1 && event.check.status == 0', false],
    ['event.check.runtime_assets == ""', true],
    // A missing attribute equals no value, and differs from every value.
    ['event.check.team == ops', false],
    ['event.check.team != ops', true],
    ['event.check.team notin [ops]', true],
    ['event.check.team matches ""', false],
    ['event.constructor == x', false],
    ['event.__proto__.toString != x', true],
  ])('the selector %s of the v2 API is evaluated', (text, expected) => {
    expect(selects(text)).toBe(expected);
  });
});

describe('an invalid selector of the v2 API', () => {
  test.each([
    ['check.name', 'needs one of ==, !=, in, notin, matches after "check.name"'],
    ['check.name = disk', 'is invalid starting at " = disk"'],
    ['check.name ==', 'has no value for "check.name": write the value in quotes'],
    ['== disk', 'is invalid at "==": a condition begins with a name, as in name == value'],
    ['check.name == disk &&', 'lacks a condition: write name == value'],
    ['check.name == disk check.name == load', 'is invalid at "check.name": join conditions with &&'],
    ['check.name in [disk', 'has a list without a closing "]"'],
    ['check.name in [disk load]', 'has an invalid list: write [a, b]'],
    ['check.name in []', 'has an invalid list: write [a, b]'],
    ['check.name in', 'needs a list after "in", for example [a, b]'],
    ['check.name == "disk', 'is invalid starting at " \\"disk"'],
    ['x'.repeat(4097), 'is longer than 4096 characters: shorten the selector'],
  ])('the invalid selector %s of the v2 API is rejected with a remedy', (text, message) => {
    expect(selects(text)).toBe(message.replace('\\"', '"'));
  });

  test('a selector of the v2 API with more than 50 conditions is rejected', () => {
    expect(selects(Array.from({ length: 51 }, () => 'a == b').join(' && '))).toBe(
      'has more than 50 conditions: shorten the selector',
    );
  });
});

test('any text is a valid selector of the v2 API or rejected with a problem', () => {
  const part = fc.constantFrom(
    '==',
    '!=',
    ' in ',
    'notin ',
    '[',
    ']',
    ',',
    '&&',
    '"',
    "'",
    ' ',
    'check.name',
    'é',
    '\\',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part).map((parts) => parts.join('')),
      ),
      (text) => {
        expect(['boolean', 'string']).toContain(typeof selects(text));
      },
    ),
  );
});

test('a path of a selector leads only to own members', () => {
  for (const path of [
    'constructor',
    'event.constructor.name',
    'event.check.toString',
    '__proto__',
    'event.__proto__',
  ]) {
    expect(readFieldPath({ event: EVENT }, path)).toBeUndefined();
  }
});
