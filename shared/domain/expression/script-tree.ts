import type { Pattern } from './pattern.ts';

/** A node of the syntax tree of a script (see `script.ts`). */
export type ScriptNode =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null | undefined }
  | { readonly kind: 'pattern'; readonly pattern: Pattern }
  | { readonly kind: 'list'; readonly items: readonly ScriptNode[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly object: ScriptNode; readonly key: ScriptNode }
  | { readonly kind: 'call'; readonly callee: ScriptNode; readonly args: readonly ScriptNode[] }
  | { readonly kind: 'date'; readonly time: ScriptNode | undefined }
  | { readonly kind: 'function'; readonly parameters: readonly string[]; readonly body: ScriptNode }
  | { readonly kind: 'unary'; readonly operator: '!' | '-' | '+' | 'typeof'; readonly operand: ScriptNode }
  | { readonly kind: 'binary'; readonly operator: BinarySign; readonly left: ScriptNode; readonly right: ScriptNode }
  | { readonly kind: 'choice'; readonly condition: ScriptNode; readonly yes: ScriptNode; readonly no: ScriptNode }
  /** The declaration `var name = value;` in front of `body`. */
  | { readonly kind: 'with'; readonly name: string; readonly value: ScriptNode; readonly body: ScriptNode };

export type BinarySign =
  '||' | '&&' | '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%';
