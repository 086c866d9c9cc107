/** The attributes that have a value: one that is there and undefined would hide another, or be refused by a type. */
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
