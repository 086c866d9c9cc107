import { readAttributePath, attributeText, isAttributes, type Attributes } from '../../shared/domain/attributes.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';

/** Matches a placeholder: `{{client.rack}}`, or `{{client.rack|default}}` for an attribute that can be missing. */
const PLACEHOLDER_FORMAT = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)+)\s*(?:\|([^{}]*))?\}\}/g;

/** Maximum length of a value in characters; more is cut. */
const VALUE_MAX = 4096;

/** A word that is invalid as an argument of a program, with the reason. */
export type CommandWords = { readonly words: readonly [string, ...string[]] } | { readonly problem: string };

/** Returns the paths of the placeholders in a text, or `undefined` if it contains braces that are no placeholder. */
export function findPlaceholders(text: string): readonly (readonly string[])[] | undefined {
  if (/\{\{|\}\}/.test(text.replace(PLACEHOLDER_FORMAT, ''))) return undefined;
  return Array.from(text.matchAll(PLACEHOLDER_FORMAT), ([, path = '']) => path.split('.'));
}

/**
 * Replaces the placeholders of a command by attributes. No shell parses the result: each word is one argument. A value
 * is one line without control characters. A value that would turn an argument into an option is refused, unless `--`
 * precedes the argument, because most programs take no options after it.
 */
export function fillWords([program, ...args]: readonly [string, ...string[]], attributes: Attributes): CommandWords {
  const filled: string[] = [];
  for (const arg of args) {
    let problem: string | undefined;
    const word = arg.replaceAll(PLACEHOLDER_FORMAT, (_match, path: string, fallback: string | undefined) => {
      const value = attributeValue(attributes, path, fallback);
      if (typeof value === 'string') return value;
      problem ??= value.problem;
      return '';
    });
    if (problem !== undefined) return { problem };
    if (word.startsWith('-') && !arg.startsWith('-') && !args.slice(0, filled.length).includes('--')) {
      return { problem: `${JSON.stringify(word.slice(0, 40))} would be an option: put "--" before ${arg}` };
    }
    filled.push(word);
  }
  return { words: [program, ...filled] };
}

/** Returns the value of an attribute as text, or the reason why it has none. */
function attributeValue(
  attributes: Attributes,
  path: string,
  fallback: string | undefined,
): string | { readonly problem: string } {
  const value = readAttributePath(attributes, path.split('.'));
  if (value === undefined || value === null || value === '') return fallback ?? { problem: `there is no ${path}` };
  if (isAttributes(value)) return { problem: `${path} has attributes of its own: name one of them` };
  const text = Array.isArray(value) ? value.map(attributeText).join(',') : attributeText(value);
  return safeLine(text).slice(0, VALUE_MAX);
}
