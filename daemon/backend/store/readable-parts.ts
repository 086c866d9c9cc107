import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { decodeTuple } from './tuple.ts';

const LENGTH_MAX = 200;

/** The parts of a key for people, `check default web-1 disk`; of one that is cut off, those that are whole. */
export function readableParts(encoded: string): string {
  for (let end = encoded.length; end > 0; end--) {
    try {
      return safeLine(decodeTuple(encoded.slice(0, end)).join(' ')).slice(0, LENGTH_MAX);
    } catch {
      // One character less.
    }
  }
  return '';
}
