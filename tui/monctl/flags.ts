import { MonError } from '../../shared/errors.ts';
import type { CommandOption } from './command.ts';

/** The options of one call, by the name that was typed. */
export class Flags {
  readonly #values: Readonly<Record<string, string | boolean>>;

  constructor(values: Readonly<Record<string, string | boolean>>) {
    this.#values = values;
  }

  value(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** `undefined` when neither the option nor its `--no-` form was given. */
  switch(name: string): boolean | undefined {
    const value = this.#values[name];
    return typeof value === 'boolean' ? value : undefined;
  }
}

/**
 * Holds what the parser found to what the command knows.
 *
 * @throws MonError `invalid` for a value that is missing or one too many
 */
export function readFlags(
  found: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, CommandOption>>,
): Flags {
  const values: Record<string, string | boolean> = {};
  for (const [name, { type, value = 'VALUE' }] of Object.entries(options)) {
    const given = found[name];
    if (given === undefined) continue;
    if (type === 'switch') {
      if (typeof given !== 'boolean') throw new MonError('invalid', `--${name} takes no value`);
      values[name] = given;
    } else {
      if (typeof given !== 'string' || given === '')
        throw new MonError('invalid', `--${name} needs a value: --${name} ${value}`);
      values[name] = given;
    }
  }
  return new Flags(values);
}
