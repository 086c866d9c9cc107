import type { CheckDefinition } from '../../../shared/schemas/check.ts';

/** A definition with its name as the last attribute, as the API shows it and results inherit it (legacy-peer, Checks). */
export type NamedCheck = CheckDefinition & { readonly name: string };

/** The definitions in force. */
export class Definitions {
  readonly #checks: ReadonlyMap<string, NamedCheck>;
  readonly #handlers: ReadonlyMap<string, unknown>;

  constructor(parts: {
    readonly checks: ReadonlyMap<string, CheckDefinition>;
    readonly handlers: ReadonlyMap<string, unknown>;
  }) {
    this.#checks = new Map([...parts.checks].map(([name, check]) => [name, { ...check, name }]));
    this.#handlers = parts.handlers;
  }

  check(name: string): NamedCheck | undefined {
    return this.#checks.get(name);
  }

  checks(): Iterable<NamedCheck> {
    return this.#checks.values();
  }

  hasHandler(name: string): boolean {
    return this.#handlers.has(name);
  }
}
