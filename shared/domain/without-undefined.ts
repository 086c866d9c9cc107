/**
 * Returns a copy without attributes whose value is undefined: these would override other values in a merge, or violate
 * an exact type.
 */
export function withoutUndefined<Attributes extends object>(attributes: Attributes): WithoutUndefined<Attributes> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<Attributes>;
}

type WithoutUndefined<Attributes> = {
  [Name in keyof Attributes as undefined extends Attributes[Name] ? never : Name]: Attributes[Name];
} & {
  [Name in keyof Attributes as undefined extends Attributes[Name] ? Name : never]?: Exclude<
    Attributes[Name],
    undefined
  >;
};
