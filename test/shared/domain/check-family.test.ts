import { expect, test } from 'vitest';
import { familiesOf } from '../../../shared/domain/check-family.ts';

test.each([
  ['disk', []],
  ['web.example.com', []],
  ['Down..critical', ['Down']],
  ['Down..critical..0badcafe', ['Down..critical', 'Down']],
  ['..x', []],
])('the check %s is a variant of %j', (check, families) => {
  expect(familiesOf(check)).toEqual(families);
});
