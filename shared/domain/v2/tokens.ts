import type { Client } from '../../schemas/client.ts';
import type { Attributes } from '../attributes.ts';
import { replaceTexts, substituteText, type TokenSubstitution } from '../tokens.ts';
import { v2EntityOf } from './entity.ts';
import { evaluateTokenTemplate, parseTokenTemplate } from './token-template.ts';

const OPENING_BRACES = '{{';

/** Maximum length of a token with a syntax error that an error message quotes. */
const QUOTED_LENGTH_MAX = 40;

/** Returns the attributes that v2 tokens can use: the entity of a client, with its metadata also at the top level. */
export function tokenEntityOf(namespace: string, client: Client): Attributes {
  const entity = v2EntityOf(namespace, client);
  return { ...entity, ...entity.metadata };
}

/**
 * Replaces the `{{ }}` tokens of a v2 check by attributes of an entity, and its `:::path:::` tokens by attributes of
 * the client. `token-template.ts` defines the syntax. Tokens in the inserted values are not replaced. It takes linear
 * time, because a text is parsed only up to its first token with a syntax error.
 *
 * @param entity as returned by `tokenEntityOf`
 * @returns the value with replaced tokens, and in `unmatched` the problems of tokens without duplicates
 */
export function substituteEntityTokens(value: unknown, client: Attributes, entity: Attributes): TokenSubstitution {
  const unmatched = new Set<string>();
  const older = new Set<string>();
  const olderIn = (text: string): string => substituteText(text, client, older);
  const substituted = replaceTexts(value, (text) => substituteTextTokens(text, entity, { olderIn, unmatched }));
  for (const path of older) unmatched.add(`:::${path}::: has no value`);
  return { value: substituted, unmatched: [...unmatched] };
}

/** Returns the output for a v2 check that cannot run, because its tokens have no value or a syntax error. */
export function unmatchedEntityText(unmatched: readonly string[]): string {
  return `unmatched token: ${unmatched.join(', ')}`;
}

function substituteTextTokens(
  text: string,
  entity: Attributes,
  { olderIn, unmatched }: { readonly olderIn: (text: string) => string; readonly unmatched: Set<string> },
): string {
  const pieces: string[] = [];
  let at = 0;
  let trims = false;
  const add = (piece: string): void => void pieces.push(olderIn(trims ? piece.trimStart() : piece));
  for (let start = text.indexOf(OPENING_BRACES); start !== -1; start = text.indexOf(OPENING_BRACES, at)) {
    const template = parseTokenTemplate(text, start + OPENING_BRACES.length);
    if (template === undefined) {
      add(text.slice(at, start));
      unmatched.add(describeUnreadableToken(text, start));
      return '';
    }
    const before = text.slice(at, start);
    add(template.trimsBefore ? before.trimEnd() : before);
    const value = evaluateTokenTemplate(template, entity);
    if (value === undefined) {
      unmatched.add(`${text.slice(start, template.end)} has no value: set it, or add | default "..."`);
    }
    pieces.push(value ?? '');
    at = template.end;
    trims = template.trimsAfter;
  }
  add(text.slice(at));
  return pieces.join('').toWellFormed();
}

function describeUnreadableToken(text: string, start: number): string {
  return `${text.slice(start, start + QUOTED_LENGTH_MAX)} cannot be read: write {{ .path }}`;
}

/**
 * Returns the problem of the first token that only Sensu Go agents can replace, with the remedy; undefined if there is
 * no such token.
 */
export function unreadableToken(text: string): string | undefined {
  for (let start = text.indexOf(OPENING_BRACES); start !== -1;) {
    const template = parseTokenTemplate(text, start + OPENING_BRACES.length);
    if (template === undefined) return describeUnreadableToken(text, start);
    start = text.indexOf(OPENING_BRACES, template.end);
  }
  return undefined;
}
