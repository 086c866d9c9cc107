import type { AttributeConditions } from './attribute-conditions.ts';
import type { V2Expressions } from './v2/expressions.ts';
import { attributePaths, type AttributePath } from './expression/attribute-paths.ts';
import type { Shape } from './attribute-shapes.ts';
import { findNearest } from './nearest.ts';

/** An attribute that is used in an expression or condition but does not exist. The author gets a warning. */
export interface UnknownAttribute {
  /** The path up to the unknown name. */
  readonly path: AttributePath;
  /** The existing attribute that was probably meant; undefined if none is similar. */
  readonly suggestion: AttributePath | undefined;
}

/** Returns the attributes in `paths` that do not exist in `shape`, each once. */
export function unknownAttributes(paths: Iterable<AttributePath>, shape: Shape): UnknownAttribute[] {
  const byPath = new Map<string, UnknownAttribute>();
  for (const path of paths) {
    const unknown = unknownAttribute(path, shape);
    if (unknown !== undefined) byPath.set(JSON.stringify(unknown.path), unknown);
  }
  return [...byPath.values()];
}

/** Returns a warning about an unknown attribute: the second half of a sentence that begins with the expression. */
export function unknownAttributeText({ path, suggestion }: UnknownAttribute): string {
  const instead = suggestion === undefined ? 'remove it, or correct the name' : `did you mean ${suggestion.join('.')}?`;
  return `uses ${truncateQuoted(path.join('.'))}, which has no value unless the data contains an attribute of that name: ${instead}`;
}

/** Returns the warnings for the author of v2 expressions: one for each unknown attribute. */
export function expressionWarnings({ expressions }: V2Expressions, shape: Shape): string[] {
  return expressions.flatMap((expression) =>
    unknownAttributes(attributePaths(expression), shape).map(
      (unknown) =>
        `the expression ${JSON.stringify(truncateQuoted(expression.source))} ${unknownAttributeText(unknown)}`,
    ),
  );
}

/** Maximum length of an expression or a name that a warning quotes. */
const QUOTED_LENGTH_MAX = 100;

function truncateQuoted(text: string): string {
  return text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text;
}

/** A warning about a condition of a v1 filter or proxy request, with the path of the condition. */
export interface ConditionWarning {
  readonly path: AttributePath;
  readonly message: string;
}

/** Returns the warnings about unknown attributes in v1 conditions, including those in their expressions. */
export function conditionWarnings(conditions: AttributeConditions, shape: Shape): ConditionWarning[] {
  return [...collectNames(conditions, [])].flatMap(({ at, names }) =>
    unknownAttributes(names, shape).map((unknown) => ({ path: at, message: unknownAttributeText(unknown) })),
  );
}

interface AttributeUse {
  readonly at: AttributePath;
  readonly names: readonly AttributePath[];
}

function* collectNames({ attributes }: AttributeConditions, within: AttributePath): Generator<AttributeUse> {
  for (const [name, condition] of attributes) {
    const at = [...within, name];
    if (condition.kind === 'conditions' && condition.attributes.size > 0) {
      yield* collectNames(condition, at);
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
      return { path: [...before, name], suggestion: suggestAttribute(name, shape, before) };
    }
    shape = next;
  }
  return undefined;
}

/** Returns an existing attribute with the same name one level deeper (`event.check` for `check`) or a similar name. */
function suggestAttribute(
  name: string,
  shape: Exclude<Shape, 'any'>,
  before: AttributePath,
): AttributePath | undefined {
  const names = Object.keys(shape);
  const below = names.find((other) => {
    const inner = shape[other];
    return inner !== undefined && inner !== 'any' && Object.hasOwn(inner, name);
  });
  if (below !== undefined) return [...before, below, name];
  const similar = findNearest(name, names);
  return similar === undefined ? undefined : [...before, similar];
}
