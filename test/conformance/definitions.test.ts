import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { validateSettings } from '../../daemon/backend/config/validate-settings.ts';

/** A recorded definition, and the verdict of Sensu Core's validator. */
interface JudgedDefinition {
  readonly kind: 'checks' | 'handlers' | 'filters' | 'mutators';
  /** The attribute that varies in the recording, or the name of the definition if the name varies. */
  readonly attribute: string;
  readonly definition: Readonly<Record<string, unknown>>;
  /** The error messages of Sensu Core's validator; empty if it accepts the definition. */
  readonly refused: readonly string[];
}

/** An attribute that only `mon` has, so that Sensu Core's verdict about it does not count. */
interface OwnAttribute {
  readonly attribute: string;
  readonly reason: string;
}

/** A kind of definition that `mon` accepts although Sensu Core rejects it. */
interface AcceptedDifference {
  readonly kind: string;
  readonly refused: readonly string[];
  /** The types of the attributes that such a definition has, by attribute. */
  readonly having: Readonly<Record<string, string>>;
  readonly reason: string;
}

const linesOf = (file: string): unknown[] =>
  readFileSync(join(import.meta.dirname, 'data', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

const definitions = linesOf('definitions.jsonl') as JudgedDefinition[];
const differences = linesOf('definition-differences.jsonl') as (OwnAttribute | AcceptedDifference)[];

const OWN = new Set(differences.flatMap((difference) => ('attribute' in difference ? difference.attribute : [])));
const TAKEN = differences.filter((difference) => 'refused' in difference);

/** Names of the recorded definitions in which the name itself varies. */
const NAMES = new Set(['name/slash', 'nämé', 'h dot.name']);

const isRefused = ({ kind, attribute, definition }: JudgedDefinition): boolean =>
  validateSettings({ [kind]: { [NAMES.has(attribute) ? attribute : 'x']: definition } }).problems.length > 0;

const isListed = ({ kind, refused, definition }: JudgedDefinition): boolean =>
  TAKEN.some(
    (item) =>
      item.kind === kind &&
      refused.every((sentence) => item.refused.includes(sentence)) &&
      Object.entries(item.having).every(([name, type]) => typeOf(definition[name]) === type),
  );

test('the backend accepts every definition that Sensu Core accepts', () => {
  const refused = definitions.filter((judged) => judged.refused.length === 0 && isRefused(judged));
  expect(refused.filter(({ attribute }) => !OWN.has(attribute))).toEqual([]);
});

test('every definition that Sensu Core rejects and the backend accepts is listed with the reason', () => {
  const taken = definitions.filter((judged) => judged.refused.length > 0 && !isRefused(judged));
  expect(taken.filter((judged) => !isListed(judged))).toEqual([]);
});

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
