import type { AttributeConditions } from './attribute-conditions.ts';
import type { V2Expressions } from './v2/expressions.ts';
import { attributePaths, type AttributePath } from './expression/attribute-paths.ts';
import type { Shape } from './attribute-shapes.ts';
import { nearest } from './nearest.ts';

/** An attribute that an expression or condition names but that does not exist, so that its author can be warned. */
export interface UnknownAttribute {
  /** The path up to the unknown name. */
  readonly path: AttributePath;
  /** The attribute that was probably meant. */
  readonly suggestion: AttributePath | undefined;
}

/** Returns the unknown attributes among the paths, each once: those that `shape` does not have. */
export function unknownAttributes(paths: Iterable<AttributePath>, shape: Shape): UnknownAttribute[] {
  const byPath = new Map<string, UnknownAttribute>();
  for (const path of paths) {
    const unknown = unknownAttribute(path, shape);
    if (unknown !== undefined) byPath.set(JSON.stringify(unknown.path), unknown);
  }
  return [...byPath.values()];
}

/** Returns a warning about an unknown attribute, as text that follows the name of the expression or condition. */
export function unknownAttributeText({ path, suggestion }: UnknownAttribute): string {
  const instead = suggestion === undefined ? 'remove it, or correct the name' : `did you mean ${suggestion.join('.')}?`;
  return `uses ${truncate(path.join('.'))}, which has no value unless the data contains an attribute of that name: ${instead}`;
}

/** Returns the warnings for the author of these expressions, one per unknown attribute. */
export function expressionWarnings({ expressions }: V2Expressions, shape: Shape): string[] {
  return expressions.flatMap((expression) =>
    unknownAttributes(attributePaths(expression), shape).map(
      (unknown) => `the expression ${JSON.stringify(truncate(expression.source))} ${unknownAttributeText(unknown)}`,
    ),
  );
}

/** Maximum length of an expression or a name that is repeated in a warning. */
const SHOWN_MAX = 100;

function truncate(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/** A warning about v1 conditions, with the path of the condition. */
export interface ConditionWarning {
  readonly path: AttributePath;
  readonly message: string;
}

/** Returns the warnings about unknown attributes in v1 conditions and in the expressions of these conditions. */
export function conditionWarnings(conditions: AttributeConditions, shape: Shape): ConditionWarning[] {
  return [...namedBy(conditions, [])].flatMap(({ at, names }) =>
    unknownAttributes(names, shape).map((unknown) => ({ path: at, message: unknownAttributeText(unknown) })),
  );
}

interface Naming {
  readonly at: AttributePath;
  readonly names: readonly AttributePath[];
}

function* namedBy({ attributes }: AttributeConditions, within: AttributePath): Generator<Naming> {
  for (const [name, condition] of attributes) {
    const at = [...within, name];
    if (condition.kind === 'conditions' && condition.attributes.size > 0) {
      yield* namedBy(condition, at);
      continue;
    }
    const tokens = condition.kind === 'expression' ? attributePaths(condition.expression) : [];
    yield { at, names: [at, ...tokens] };
  }
}

function unknownAttribute(path: AttributePath, rootShape: Shape): UnknownAttribute | undefined {
  let shape = rootShape;
  for (const [depth, name] of path.entries()) {
    if (shape === 'any') return undefined;
    const next: Shape | undefined = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (next === undefined) {
      const before = path.slice(0, depth);
      return { path: [...before, name], suggestion: suggestionFor(name, shape, before) };
    }
    shape = next;
  }
  return undefined;
}

/** Suggests a known attribute that is spelled similarly, or is one level deeper: `event.check` for `check`. */
function suggestionFor(name: string, shape: Exclude<Shape, 'any'>, before: AttributePath): AttributePath | undefined {
  const names = Object.keys(shape);
  const below = names.find((other) => {
    const inner = shape[other];
    return inner !== undefined && inner !== 'any' && Object.hasOwn(inner, name);
  });
  if (below !== undefined) return [...before, below, name];
  const similar = nearest(name, names);
  return similar === undefined ? undefined : [...before, similar];
}
