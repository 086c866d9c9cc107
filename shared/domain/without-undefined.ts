/**
 * Returns a copy without the attributes whose value is undefined. In a merge they would override other values, and they
 * do not match types with exact optional attributes.
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
