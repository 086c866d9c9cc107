import type { AttributeConditions } from './attribute-conditions.ts';
import type { V2Expressions } from './v2/expressions.ts';
import { attributePaths, type AttributePath } from './expression/attribute-paths.ts';
import type { Shape } from './known-attributes.ts';
import { nearest } from './nearest.ts';

/** An attribute that is asked for and that nothing has, so that whoever asks is told. */
export interface UnknownAttribute {
  /** Up to the name that is not known. */
  readonly path: AttributePath;
  /** What was probably meant. */
  readonly meant: AttributePath | undefined;
}

/** Those of the paths, each once, that lead to something which `shape` does not have. */
export function unknownAttributes(paths: Iterable<AttributePath>, shape: Shape): UnknownAttribute[] {
  const found = new Map<string, UnknownAttribute>();
  for (const path of paths) {
    const unknown = unknownAttribute(path, shape);
    if (unknown !== undefined) found.set(JSON.stringify(unknown.path), unknown);
  }
  return [...found.values()];
}

/** For people, to stand behind what asks for it. */
export function unknownAttributeText({ path, meant }: UnknownAttribute): string {
  const instead = meant === undefined ? 'remove it, or correct the name' : `did you mean ${meant.join('.')}?`;
  return `names ${shortened(path.join('.'))}, which has no value unless something brings an attribute of that name: ${instead}`;
}

/** What to tell whoever writes these expressions, one text for each attribute that is not known. */
export function expressionWarnings({ expressions }: V2Expressions, shape: Shape): string[] {
  return expressions.flatMap((expression) =>
    unknownAttributes(attributePaths(expression), shape).map(
      (unknown) => `the expression ${JSON.stringify(shortened(expression.source))} ${unknownAttributeText(unknown)}`,
    ),
  );
}

/** Longest part of an expression or a name that is repeated. */
const SHOWN_MAX = 100;

function shortened(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/** A place in conditions, and what to tell of it. */
export interface ConditionWarning {
  readonly path: AttributePath;
  readonly message: string;
}

/** The same of conditions of the legacy service: their attributes, and the tokens of their expressions. */
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

function unknownAttribute(path: AttributePath, whole: Shape): UnknownAttribute | undefined {
  let shape = whole;
  for (const [depth, name] of path.entries()) {
    if (shape === 'any') return undefined;
    const next: Shape | undefined = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (next === undefined) {
      const before = path.slice(0, depth);
      return { path: [...before, name], meant: meantBy(name, shape, before) };
    }
    shape = next;
  }
  return undefined;
}

/** One that is spelled nearly like that, or that stands one level below: `check` for `event.check`. */
function meantBy(name: string, shape: Exclude<Shape, 'any'>, before: AttributePath): AttributePath | undefined {
  const names = Object.keys(shape);
  const below = names.find((other) => {
    const inner = shape[other];
    return inner !== undefined && inner !== 'any' && Object.hasOwn(inner, name);
  });
  if (below !== undefined) return [...before, below, name];
  const similar = nearest(name, names);
  return similar === undefined ? undefined : [...before, similar];
}
