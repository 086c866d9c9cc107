import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { decodeTuple } from './tuple.ts';

const LENGTH_MAX = 200;

/**
 * Returns the parts of a key for operators, such as `check default web-1 disk`; of a truncated key, its complete parts.
 */
export function readableParts(encoded: string): string {
  for (let end = encoded.length; end > 0; end--) {
    try {
      return safeLine(decodeTuple(encoded.slice(0, end)).join(' ')).slice(0, LENGTH_MAX);
    } catch {
      // Retry with one character less.
    }
  }
  return '';
}
