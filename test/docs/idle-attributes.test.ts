import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IDLE_ATTRIBUTES } from '../../shared/domain/v2/idle-attributes.ts';

test('docs/v2-api.md lists each attribute without effect, with its reason', () => {
  const page = readFileSync('docs/v2-api.md', 'utf8').replaceAll(/\s+/g, ' ');
  const lines = Object.entries(IDLE_ATTRIBUTES).flatMap(([kind, attributes]) =>
    Object.entries(attributes).map(([attribute, reason]) => `\`${attribute}\` of ${kind}: ${reason}`),
  );
  expect(lines.filter((line) => !page.includes(line))).toEqual([]);
});
