import type { CheckDefinition } from '../../../shared/schemas/check.ts';

/** A definition with its name as the last attribute, as the API shows it and results inherit it (legacy-peer, Checks). */
export type NamedCheck = CheckDefinition & { readonly name: string };

/** The definitions in force. A reload replaces them all at once, so whoever needs one asks again. */
export class Definitions {
  #checks: ReadonlyMap<string, NamedCheck>;

  constructor(checks: ReadonlyMap<string, CheckDefinition>) {
    this.#checks = named(checks);
  }

  check(name: string): NamedCheck | undefined {
    return this.#checks.get(name);
  }

  checks(): Iterable<NamedCheck> {
    return this.#checks.values();
  }
}

function named(checks: ReadonlyMap<string, CheckDefinition>): ReadonlyMap<string, NamedCheck> {
  return new Map([...checks].map(([name, check]) => [name, { ...check, name }]));
}
