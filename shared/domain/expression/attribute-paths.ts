import type { Expression } from './expression.ts';
import { SCRIPT_NAMES, type Script } from './script.ts';
import type { ScriptNode } from './script-tree.ts';
import type { ExpressionNode } from './tree.ts';

/** The path of an attribute as a list of names, from the root object down: `['event', 'check', 'status']`. */
export type AttributePath = readonly string[];

/** Returns the paths of all attributes that an expression refers to, in order; duplicates are possible. */
export function attributePaths(expression: Expression | Script): AttributePath[] {
  return expression.kind === 'script'
    ? [...pathsOfScript(expression.root, new Map())]
    : [...expression.tokens.map(({ path }) => path), ...pathsOfNode(expression.root)];
}

function* pathsOfNode(node: ExpressionNode): Generator<AttributePath> {
  if (node.kind === 'attribute') yield node.path;
  for (const child of childrenOf(node)) yield* pathsOfNode(child);
}

function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.kind) {
    case 'list':
      return node.items;
    case 'range':
      return [node.first, node.last];
    case 'not':
    case 'minus':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'match':
      return [node.subject];
    case 'choice':
      return [node.condition, node.yes, node.no];
    case 'call':
      return [node.receiver, ...node.arguments];
    case 'time':
      return node.seconds === undefined ? [] : [node.seconds];
    default:
      return [];
  }
}

/** The attribute path of the value of each variable and parameter of a script; undefined if the path is unknown. */
type Scope = ReadonlyMap<string, AttributePath | undefined>;

function* pathsOfScript(node: ScriptNode, scope: Scope): Generator<AttributePath> {
  const chain = chainOf(node, scope);
  if (chain !== undefined) {
    if (chain.path !== undefined) yield chain.path;
    for (const other of chain.computedKeys) yield* pathsOfScript(other, scope);
    return;
  }
  switch (node.kind) {
    case 'function': {
      const inner = new Map([...scope, ...node.parameters.map((name) => [name, undefined] as const)]);
      yield* pathsOfScript(node.body, inner);
      return;
    }
    case 'with': {
      const value = chainOf(node.value, scope);
      const valuePath = value?.computedKeys.length === 0 ? value.path : undefined;
      yield* pathsOfScript(node.value, scope);
      yield* pathsOfScript(node.body, new Map([...scope, [node.name, valuePath]]));
      return;
    }
    case 'call':
      // The last name of the callee is a method, not an attribute.
      yield* pathsOfScript(node.callee.kind === 'member' ? node.callee.object : node.callee, scope);
      for (const argument of node.args) yield* pathsOfScript(argument, scope);
      return;
    default:
      for (const child of childrenOfScriptNode(node)) yield* pathsOfScript(child, scope);
  }
}

interface Chain {
  /** The attribute path of `a.b.c`; undefined if `a` is a built-in name or a variable of unknown path. */
  readonly path: AttributePath | undefined;
  /** The first computed key of the chain, as in `a[b]`, and all keys after it. */
  readonly computedKeys: readonly ScriptNode[];
}

/** Returns the chain that a name and its members form, such as `event.check`; undefined for other nodes. */
function chainOf(node: ScriptNode, scope: Scope): Chain | undefined {
  if (node.kind === 'name') {
    const { name } = node;
    if (scope.has(name)) return { path: scope.get(name), computedKeys: [] };
    return { path: SCRIPT_NAMES.has(name) ? undefined : [name], computedKeys: [] };
  }
  if (node.kind !== 'member') return undefined;
  const before = chainOf(node.object, scope);
  if (before === undefined) return undefined;
  const { path, computedKeys } = before;
  const { key } = node;
  // The path of an attribute whose key is computed, such as `a[b]`, is unknown beyond that key.
  if (computedKeys.length > 0 || key.kind !== 'literal') return { path, computedKeys: [...computedKeys, key] };
  return { path: path === undefined ? undefined : [...path, String(key.value)], computedKeys };
}

function childrenOfScriptNode(node: ScriptNode): readonly ScriptNode[] {
  switch (node.kind) {
    case 'list':
      return node.items;
    case 'member':
      return [node.object, node.key];
    case 'date':
      return node.time === undefined ? [] : [node.time];
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'choice':
      return [node.condition, node.yes, node.no];
    default:
      return [];
  }
}
