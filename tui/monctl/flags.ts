import { MonError } from '../../shared/errors.ts';
import { parseLifetime, parsePast } from './times.ts';

/** The option values of one command line, by option name. */
export class Flags {
  readonly #values: Readonly<Record<string, string | boolean>>;

  constructor(values: Readonly<Record<string, string | boolean>>) {
    this.#values = values;
  }

  /** Returns a copy of these flags with a switch turned on. */
  withSwitch(name: string): Flags {
    return new Flags({ ...this.#values, [name]: true });
  }

  value(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the value of a switch; `undefined` when neither the switch nor its `--no-` form was given. */
  switch(name: string): boolean | undefined {
    const value = this.#values[name];
    return typeof value === 'boolean' ? value : undefined;
  }

  /**
   * Returns the value of an option as a whole number; `undefined` if the option was not given.
   *
   * @throws MonError `invalid` when the value is not a whole number or is less than `least`
   */
  number(name: string, least = 1): number | undefined {
    const text = this.value(name);
    if (text === undefined) return undefined;
    const number = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least)) {
      throw new MonError('invalid', `--${name} must be a whole number of at least ${String(least)}, not ${text}`);
    }
    return number;
  }

  /**
   * Parses the value of an option as a duration such as `2h`; a number without a unit is seconds.
   *
   * @returns seconds; `undefined` if the option was not given
   * @throws MonError `invalid` when the value is not a duration of at least one second
   */
  lifetime(name: string): number | undefined {
    const text = this.value(name);
    return text === undefined ? undefined : parseLifetime(`--${name}`, text, 'seconds');
  }

  /**
   * Parses the value of an option as a time in the past, such as `10 minutes ago`.
   *
   * @returns epoch seconds; `undefined` if the option was not given
   * @throws MonError `invalid` when the value is not a time
   */
  moment(name: string, nowMs: number): number | undefined {
    const text = this.value(name);
    return text === undefined ? undefined : Math.floor(parsePast(text, nowMs) / 1000);
  }

  /** Returns the items of a comma-separated value, without empty items; `undefined` if the option was not given. */
  list(name: string): readonly string[] | undefined {
    const parts = this.value(name)?.split(',') ?? [];
    const items = parts.map((part) => part.trim()).filter((part) => part !== '');
    return this.value(name) === undefined ? undefined : items;
  }
}

/**
 * Validates the parsed options against the options of the command.
 *
 * @throws MonError `invalid` for an option without its value, or a switch with a value
 */
export function readFlags(
  parsed: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, CommandOption>>,
): Flags {
  const values: Record<string, string | boolean> = {};
  for (const [name, { type, value = 'VALUE' }] of Object.entries(options)) {
    const parsedValue = parsed[name];
    if (parsedValue === undefined) continue;
    if (type === 'switch') {
      if (typeof parsedValue !== 'boolean') throw new MonError('invalid', `--${name} takes no value`);
      values[name] = parsedValue;
    } else {
      if (typeof parsedValue !== 'string' || parsedValue === '')
        throw new MonError('invalid', `--${name} needs a value: --${name} ${value}`);
      values[name] = parsedValue;
    }
  }
  return new Flags(values);
}

/**
 * The words that the shell offers for completion: names of one kind that the backend returns, contexts of the
 * configuration file, files, or a fixed list.
 */
export type CompletionKind =
  | 'client'
  | 'check'
  // A check that is defined or has results; a standalone check of an agent has only results.
  | 'reported-check'
  | 'client-check'
  | 'subscription'
  | 'silenced'
  | 'aggregate'
  | 'stash'
  | 'handler'
  | 'schedule'
  | 'dead-letter'
  | 'member'
  | 'namespace'
  | 'pipeline'
  | 'entity'
  | 'user'
  | 'api-key'
  | 'context'
  | 'file'
  | readonly string[];

/** An option of a command; a `switch` takes no value and has a `--no-` form. */
export interface CommandOption {
  readonly type: 'value' | 'switch';
  /** Placeholder of the value in the manual, such as `SECONDS`. */
  readonly value?: string;
  readonly short?: string;
  readonly completes?: CompletionKind;
  /** True if the value may begin with a dash, such as `--sort -age`. */
  readonly takesDash?: boolean;
  readonly text: string;
}

type FlagSettings = Pick<CommandOption, 'completes' | 'short' | 'takesDash'>;

/**
 * Defines an option that takes a value.
 *
 * @param value placeholder of the value in the manual, such as `SECONDS`
 */
export function valueOption(value: string, text: string, more: FlagSettings = {}): CommandOption {
  return { type: 'value', value, text, ...more };
}

export function switchOption(text: string, more: FlagSettings = {}): CommandOption {
  return { type: 'switch', text, ...more };
}
