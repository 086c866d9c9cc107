import type { Command } from './command.ts';

/** Other names of nouns: the name of the v1 and v2 API. */
const NOUN_ALIASES: ReadonlyMap<string, string> = new Map([['silenced', 'silence']]);

/** Other names of verbs, as the tools of other systems call them. */
const VERB_ALIASES: ReadonlyMap<string, string> = new Map([
  ['ls', 'list'],
  ['show', 'info'],
  ['rm', 'delete'],
]);

/** Returns the name of a word of a command if it is an alias, otherwise the word. */
export function canonicalWord(word: string): string {
  return NOUN_ALIASES.get(word) ?? VERB_ALIASES.get(word) ?? word;
}

/**
 * Replaces aliases of the noun and the verb at the start of a command line. A second word that is an operand, such as a
 * client with the name `ls`, is not replaced.
 */
export function canonicalWords(words: readonly string[], commands: readonly Command[]): readonly string[] {
  const [first, second, ...others] = words;
  if (first === undefined) return words;
  const noun = NOUN_ALIASES.get(first) ?? first;
  if (second === undefined) return [noun];
  const verb = VERB_ALIASES.get(second) ?? second;
  const hasVerb = commands.some(({ words: [ownNoun, ownVerb] }) => ownNoun === noun && ownVerb === verb);
  return [noun, hasVerb ? verb : second, ...others];
}
