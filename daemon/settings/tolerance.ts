import type { Settings } from '../../shared/domain/merge-settings.ts';
import type { Remark } from './remark.ts';

/**
 * What the legacy service takes in a definition although it makes no sense does not stop the start: something else is
 * used in its place, and a remark names that and the remedy (completion 1.22). What that service refuses is left as it
 * is, for the schema to refuse.
 *
 * @returns the value to use; undefined: as if the attribute was not there
 */
export type Tolerance = (value: unknown, parts: ToleranceParts) => unknown;

export interface ToleranceParts {
  /** The whole definition, as it was written. */
  readonly definition: Settings;
  /** @param path below the attribute */
  readonly remark: (message: string, ...path: readonly string[]) => void;
}

export type Tolerances = Readonly<Record<string, Tolerance>>;

/** `definition` with what is used in place of what makes no sense, and what there is to say about that. */
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
    // Programs that write configurations write null for what is not set, and lose nothing by it.
    const given = used.get(attribute) ?? undefined;
    const value = given === undefined ? undefined : tolerance(given, { definition, remark });
    if (value === undefined) used.delete(attribute);
    else used.set(attribute, value);
  }
  return { definition: Object.fromEntries(used), remarks };
}

/** What takes nothing but what the schema takes, and null. */
export const asWritten: Tolerance = (value) => value;

/** Of attributes that the legacy service asks for first: false counts as absent there. */
export function unlessFalse(tolerance: Tolerance = asWritten): Tolerance {
  return (value, parts) => {
    if (value !== false) return tolerance(value, parts);
    parts.remark('is false, which counts as absent: remove it');
    return undefined;
  };
}

/** @param used in words, what counts instead of a text without a character */
export function unlessEmpty(used: string): Tolerance {
  return (value, { remark }) => {
    if (value !== '') return value;
    remark(`is empty: ${used}; write a name, or remove it`);
    return undefined;
  };
}

/** @param used what counts instead of anything that is neither true nor false */
export function booleanOr(used: boolean): Tolerance {
  return (value, { remark }) => {
    if (typeof value === 'boolean') return value;
    remark(`is neither true nor false: ${String(used)} is used instead; write true or false, without quotes`);
    return used;
  };
}

/** Seconds after which something is stopped: what is not above 0 stops nothing. */
export const positiveTimeout: Tolerance = (value, { remark }) => {
  if (typeof value !== 'number' || value > 0) return value;
  remark('is not above 0: it is ignored; set the seconds that a run may take, or remove it');
  return undefined;
};

/** What does nothing, as a line for the shell: an empty one is no command to the schema. */
const NO_COMMAND = ':';

/** The legacy service asks for a text only, also for one without a character. */
export const commandLine: Tolerance = (value, { remark }) => {
  if (value !== '') return value;
  remark(`is empty: "${NO_COMMAND}" is used instead and does nothing; set a command`);
  return NO_COMMAND;
};

/** A list of names, of which the legacy service asks only that they are texts. */
export const nameList: Tolerance = (value, { remark }) => {
  if (!Array.isArray(value) || !value.includes('')) return value;
  remark('contains an empty name: it is ignored; remove it');
  return value.filter((name) => name !== '');
};

const WHOLE_NUMBER = /^-?\d{1,15}$/;

interface WholeNumber {
  readonly min: number;
  /** In words, for what is no such number in quotes either. */
  readonly used: string;
}

/** A whole number that the legacy service does not look at; one in quotes counts as what it says. */
export function wholeNumber({ min, used }: WholeNumber): Tolerance {
  return (value, { remark }) => {
    const isWritten = typeof value === 'string' && WHOLE_NUMBER.test(value);
    const number = isWritten ? Number(value) : value;
    const isUsable = typeof number === 'number' && Number.isSafeInteger(number) && number >= min;
    if (isUsable && !isWritten) return number;
    if (isUsable) {
      remark(`is in quotes: the number ${String(number)} is used; remove the quotes`);
      return number;
    }
    const wanted = Number.isFinite(min) ? `a whole number from ${String(min)} on` : 'a whole number';
    remark(`is not ${wanted}: ${used}; set such a number, or remove it`);
    return undefined;
  };
}
