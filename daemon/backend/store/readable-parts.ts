import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { decodeTuple } from './tuple.ts';

const LENGTH_MAX = 200;

/**
 * Returns the parts of an encoded key as text for operators, such as `check default web-1 disk`. If the key is
 * truncated, the text contains only its complete parts.
 */
export function readableKey(encoded: string): string {
  for (let end = encoded.length; end > 0; end--) {
    try {
      return safeLine(decodeTuple(encoded.slice(0, end)).join(' ')).slice(0, LENGTH_MAX);
    } catch {
      // The key is truncated or damaged here, so try it without its last character.
    }
  }
  return '';
}
