/** Drops attributes whose value is undefined: they would hide another value in a merge, or violate an exact type. */
export function given<Attributes extends object>(attributes: Attributes): Given<Attributes> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Given<Attributes>;
}

type Given<Attributes> = {
  [Name in keyof Attributes as undefined extends Attributes[Name] ? never : Name]: Attributes[Name];
} & {
  [Name in keyof Attributes as undefined extends Attributes[Name] ? Name : never]?: Exclude<
    Attributes[Name],
    undefined
  >;
};
