import type { Settings } from '../../shared/domain/merge-settings.ts';
import type { Remark } from './remark.ts';

/**
 * Replaces a value that Sensu Core accepts in a definition although it makes no sense, so that it does not prevent the
 * start. A remark names the replacement and the remedy (completion 1.22). Values that Sensu Core rejects are left
 * unchanged, so that the schema rejects them.
 *
 * @returns the value to use; undefined: the attribute counts as absent
 */
export type Tolerance = (value: unknown, parts: ToleranceParts) => unknown;

export interface ToleranceParts {
  /** The whole definition, as it was written. */
  readonly definition: Settings;
  /** @param path below the attribute */
  readonly remark: (message: string, ...path: readonly string[]) => void;
}

export type Tolerances = Readonly<Record<string, Tolerance>>;

/** Returns `definition` with tolerated values replaced, and the remarks about them. */
export function tolerate(
  definition: Settings,
  tolerances: Tolerances,
): { readonly definition: Settings; readonly remarks: readonly Remark[] } {
  const remarks: Remark[] = [];
  const used = new Map(Object.entries(definition));
  for (const [attribute, tolerance] of Object.entries(tolerances)) {
    if (!used.has(attribute)) continue;
    const remark: ToleranceParts['remark'] = (message, ...path) => {
      remarks.push({ path: [attribute, ...path], message });
    };
    // Programs that generate configurations write null for unset attributes, which is harmless.
    const original = used.get(attribute) ?? undefined;
    const value = original === undefined ? undefined : tolerance(original, { definition, remark });
    if (value === undefined) used.delete(attribute);
    else used.set(attribute, value);
  }
  return { definition: Object.fromEntries(used), remarks };
}

/** Accepts only the values that the schema accepts, and null. */
export const asWritten: Tolerance = (value) => value;

/** Handles attributes that Sensu Core tests for truth first: false counts as absent. */
export function unlessFalse(tolerance: Tolerance = asWritten): Tolerance {
  return (value, parts) => {
    if (value !== false) return tolerance(value, parts);
    parts.remark('is false, which counts as absent: remove it');
    return undefined;
  };
}

/** @param used the text that names the replacement of an empty string */
export function unlessEmpty(used: string): Tolerance {
  return (value, { remark }) => {
    if (value !== '') return value;
    remark(`is empty: ${used}; write a name, or remove it`);
    return undefined;
  };
}

/** @param used the replacement of a value that is not a boolean */
export function booleanOr(used: boolean): Tolerance {
  return (value, { remark }) => {
    if (typeof value === 'boolean') return value;
    remark(`is neither true nor false: ${String(used)} is used instead; write true or false, without quotes`);
    return used;
  };
}

/** Handles a timeout in seconds: values that are not above 0 mean no timeout. */
export const positiveTimeout: Tolerance = (value, { remark }) => {
  if (typeof value !== 'number' || value > 0) return value;
  remark('is not above 0: it is ignored; set the seconds that a run may take, or remove it');
  return undefined;
};

/** A shell command that does nothing: the schema rejects an empty command. */
const NO_COMMAND = ':';

/** Handles a command: Sensu Core only requires a string, which may be empty. */
export const commandLine: Tolerance = (value, { remark }) => {
  if (value !== '') return value;
  remark(`is empty: "${NO_COMMAND}" is used instead and does nothing; set a command`);
  return NO_COMMAND;
};

/** Handles a list of names: Sensu Core only requires that they are strings. */
export const nameList: Tolerance = (value, { remark }) => {
  if (!Array.isArray(value) || !value.includes('')) return value;
  remark('contains an empty name: it is ignored; remove it');
  return value.filter((name) => name !== '');
};

const INTEGER = /^-?\d{1,15}$/;

interface IntegerOptions {
  readonly min: number;
  /** The text that names the replacement of a value that is not a valid number, even in quotes. */
  readonly used: string;
}

/** Handles an integer that Sensu Core does not validate; a number in quotes counts as that number. */
export function integer({ min, used }: IntegerOptions): Tolerance {
  return (value, { remark }) => {
    const isWritten = typeof value === 'string' && INTEGER.test(value);
    const number = isWritten ? Number(value) : value;
    const isUsable = typeof number === 'number' && Number.isSafeInteger(number) && number >= min;
    if (isUsable && !isWritten) return number;
    if (isUsable) {
      remark(`is in quotes: the number ${String(number)} is used; remove the quotes`);
      return number;
    }
    const requirement = Number.isFinite(min) ? `a whole number from ${String(min)} on` : 'a whole number';
    remark(`is not ${requirement}: ${used}; set such a number, or remove it`);
    return undefined;
  };
}
