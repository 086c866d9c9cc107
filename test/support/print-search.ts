import type { ParsedSearch } from '../../shared/domain/search-language.ts';
import type { SearchFields, SearchNode } from '../../shared/domain/search-syntax.ts';

/**
 * Returns the text of a parsed search in a canonical form: the text has the same meaning, and parsing and printing it
 * again yields the same text.
 */
export function printSearch<Row>({ tree, language }: ParsedSearch<Row>): string {
  return tree === undefined ? '' : printTree(language.fields, tree);
}

function printTree<Row>(fields: SearchFields<Row>, node: SearchNode<Row>): string {
  const print = (one: SearchNode<Row>): string => printTree(fields, one);
  const printTerm = (one: SearchNode<Row>): string =>
    one.kind === 'and' || one.kind === 'or' ? `(${print(one)})` : print(one);
  switch (node.kind) {
    case 'word':
      return isReserved(fields, node.text) ? quote(node.text) : bareOrQuoted(node.text);
    case 'flag':
      return node.name;
    case 'comparison':
      return `${node.field}${node.operator}${bareOrQuoted(node.text)}`;
    case 'not':
      return `!${printTerm(node.node)}`;
    case 'and':
      return node.nodes.map(printTerm).join(' ');
    default:
      return node.nodes.map(printTerm).join(' or ');
  }
}

function isReserved<Row>(fields: SearchFields<Row>, word: string): boolean {
  return /^(?:and|or|not)$/i.test(word) || fields.get(word.toLowerCase())?.flag !== undefined;
}

function bareOrQuoted(text: string): string {
  return /^[\w.:/*?-]+$/.test(text) ? text : quote(text);
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
