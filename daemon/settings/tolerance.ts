import type { Settings } from '../../shared/domain/merge-settings.ts';
import type { Remark } from './remark.ts';

/**
 * Replaces a value that Sensu Core accepts in a definition although it makes no sense, so that it does not prevent the
 * start. A warning names the replacement and the remedy (completion 1.22). Values that Sensu Core rejects are left
 * unchanged, so that the schema rejects them.
 *
 * @returns the value to use; undefined if the attribute counts as absent
 */
export type Tolerance = (value: unknown, parts: ToleranceContext) => unknown;

export interface ToleranceContext {
  /** The whole definition, as it was written. */
  readonly definition: Settings;
  /** @param path the path of the value below the attribute */
  readonly remark: (message: string, ...path: readonly string[]) => void;
}

export type Tolerances = Readonly<Record<string, Tolerance>>;

/** Returns `definition` with the tolerated values replaced, and the warnings about them. */
export function applyTolerances(
  definition: Settings,
  tolerances: Tolerances,
): { readonly definition: Settings; readonly remarks: readonly Remark[] } {
  const remarks: Remark[] = [];
  const used = new Map(Object.entries(definition));
  for (const [attribute, tolerance] of Object.entries(tolerances)) {
    if (!used.has(attribute)) continue;
    const remark: ToleranceContext['remark'] = (message, ...path) => {
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

/** Replaces nothing: the schema decides whether a value is valid. Null counts as absent, as for every attribute. */
export const unchangedValue: Tolerance = (value) => value;

/** Handles an attribute that Sensu Core ignores if it is false: false counts as absent. */
export function unlessFalse(tolerance: Tolerance = unchangedValue): Tolerance {
  return (value, parts) => {
    if (value !== false) return tolerance(value, parts);
    parts.remark('is false, which counts as absent: remove it');
    return undefined;
  };
}

/** @param used text for the warning: what is used instead of an empty string */
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

/** Handles a command: Sensu Core requires only that it is a string, even an empty one. */
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

const INTEGER_TEXT = /^-?\d{1,15}$/;

interface IntegerOptions {
  readonly min: number;
  /** Text for the warning: what is used instead of a value that is no valid number. */
  readonly used: string;
}

/** Handles an integer that Sensu Core does not validate; a number in quotes counts as that number. */
export function integerTolerance({ min, used }: IntegerOptions): Tolerance {
  return (value, { remark }) => {
    const isWritten = typeof value === 'string' && INTEGER_TEXT.test(value);
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
