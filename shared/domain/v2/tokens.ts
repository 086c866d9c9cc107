import type { Client } from '../../schemas/client.ts';
import { attributeAt, attributeText, isAttributes, type Attributes } from '../attributes.ts';
import { replaceTexts, substituteText, type Substitution } from '../tokens.ts';
import { v2EntityOf } from './entity.ts';

const PATH = String.raw`(?:\.[A-Za-z_]\w*)+`;
const TEXT = String.raw`"(?:[^"\\\n]|\\["\\])*"|\x60[^\x60]*\x60`;
const NUMBER = String.raw`-?\d+(?:\.\d+)?`;

/** A path, `index PATH "key"` for keys with signs in them, or a text as it is; and what to take where there is no value. */
const TOKEN = new RegExp(
  String.raw`\{\{\s*(?:(?<path>${PATH})|index\s+(?<record>${PATH})\s+(?<key>${TEXT})|(?<text>${TEXT}))` +
    String.raw`(?:\s*\|\s*default\s+(?<fallback>${TEXT}|${NUMBER}))?\s*\}\}`,
  'y',
);

const OPENING = '{{';

/** Of a token that cannot be read, so much is shown. */
const SHOWN_MAX = 40;

/** A client as the tokens of version 2 see it: its entity, with what is in the metadata at the top as well. */
export function tokenEntityOf(namespace: string, client: Client): Attributes {
  const entity = v2EntityOf(namespace, client);
  return { ...entity, ...entity.metadata };
}

/**
 * Puts the attributes of an entity in place of the tokens of a check that version 2 defines, and those of its client
 * in place of the older `:::path:::`. Of the peer's templates these are read: `{{ .labels.region | default "eu" }}`,
 * `{{ index .labels "a-b" }}`, `{{ .system.hostname }}`, and a text as it is, `{{ "{{" }}`. What a token becomes is text
 * and is not looked at again. In linear time: a text is read no further than to the first token that cannot be read.
 *
 * @param entity as `tokenEntityOf` has it
 * @returns as unmatched what is wrong with a token, each once
 */
export function substituteEntityTokens(value: unknown, client: Attributes, entity: Attributes): Substitution {
  const unmatched = new Set<string>();
  const older = new Set<string>();
  const olderIn = (text: string): string => substituteText(text, client, older);
  const substituted = replaceTexts(value, (text) => substituteIn(text, entity, { olderIn, unmatched }));
  for (const path of older) unmatched.add(`:::${path}::: has no value`);
  return { value: substituted, unmatched: [...unmatched] };
}

/** What is said of a check of version 2 whose tokens have no value, or cannot be read. */
export function unmatchedEntityText(unmatched: readonly string[]): string {
  return `unmatched token: ${unmatched.join(', ')}`;
}

function substituteIn(
  text: string,
  entity: Attributes,
  { olderIn, unmatched }: { readonly olderIn: (text: string) => string; readonly unmatched: Set<string> },
): string {
  const pieces: string[] = [];
  let at = 0;
  for (let start = text.indexOf(OPENING); start !== -1; start = text.indexOf(OPENING, at)) {
    pieces.push(olderIn(text.slice(at, start)));
    TOKEN.lastIndex = start;
    const token = TOKEN.exec(text);
    if (token === null) {
      unmatched.add(`${text.slice(start, start + SHOWN_MAX)} cannot be read: write {{ .path }}`);
      return '';
    }
    const found = valueOf(token.groups ?? {}, entity);
    if (found === undefined) unmatched.add(`${token[0]} has no value: set it, or add | default "..."`);
    pieces.push(found ?? '');
    at = TOKEN.lastIndex;
  }
  pieces.push(olderIn(text.slice(at)));
  return pieces.join('').toWellFormed();
}

function valueOf(token: Readonly<Record<string, string | undefined>>, entity: Attributes): string | undefined {
  const { path, record, key, text, fallback } = token;
  if (text !== undefined) return unquoted(text);
  const parts = partsOf(path ?? record ?? '');
  const found = attributeAt(entity, key === undefined ? parts : [...parts, unquoted(key)]);
  if (found !== undefined && found !== null && !isAttributes(found)) return attributeText(found);
  return fallback === undefined ? undefined : unquoted(fallback);
}

function partsOf(path: string): string[] {
  return path.slice(1).split('.');
}

function unquoted(text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
}
