import { isObject } from '../../shared/client/compiled-check.ts';
import type { V2Object } from '../../shared/client/v2-client.ts';

/*
 * Functions that read attributes of v2 API objects. Backends of other versions may omit attributes or give them other
 * types, and a list must still show the other attributes.
 */

export function readTextAttribute(object: V2Object, ...path: readonly string[]): string {
  const value = readAttribute(object, path);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/**
 * Returns an attribute of a v2 API object that is a number.
 *
 * @returns `undefined` if the attribute is missing or not a number
 */
export function readNumberAttribute(object: V2Object, ...path: readonly string[]): number | undefined {
  const value = readAttribute(object, path);
  return typeof value === 'number' ? value : undefined;
}

export function readFlagAttribute(object: V2Object, ...path: readonly string[]): boolean {
  return readAttribute(object, path) === true;
}

export function readTextsAttribute(object: V2Object, ...path: readonly string[]): readonly string[] {
  const value = readAttribute(object, path);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Returns a copy of an object without one attribute, such as a secret or a value that changes constantly. */
export function omitAttribute(object: V2Object, name: string): V2Object {
  return Object.fromEntries(Object.entries(object).filter(([own]) => own !== name));
}

export function nameOf(object: V2Object): string {
  return readTextAttribute(object, 'metadata', 'name');
}

export function metadataNamespace(object: V2Object): string {
  return readTextAttribute(object, 'metadata', 'namespace');
}

function readAttribute(object: V2Object, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}
