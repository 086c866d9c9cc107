import type { LabelSet } from '../schemas/alert.ts';
import type { SubmittedResult } from '../schemas/result.ts';
import { cutText } from './alert-labels.ts';
import { bytesOfResult, excessOfResult } from './attribute-limits.ts';

/** Bytes reserved for the attributes that are added to a result when it is stored. */
const ADDED_BYTES = 512;

/**
 * Cuts the longest annotations of an alert until its result fits the limit. Otherwise a long stack trace would cause
 * the whole alert to be rejected.
 *
 * @param bytesMax the limit of `ATTRIBUTE_LIMITS`
 */
export function withFittingAnnotations(result: SubmittedResult, bytesMax: number): SubmittedResult {
  // Nearly all results are small enough, and this check is fast because it does not build their JSON.
  if (excessOfResult(result, { bytes: bytesMax - ADDED_BYTES, keys: Infinity })?.limit !== 'bytes') return result;
  const { metadata } = result as { readonly metadata?: { readonly annotations?: LabelSet } };
  const annotations = new Map(Object.entries(metadata?.annotations ?? {}));
  let fitting = result;
  for (;;) {
    const excess = bytesOfResult(fitting) + ADDED_BYTES - bytesMax;
    const [longest, text] = [...annotations].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
    if (excess <= 0 || longest === undefined || text === undefined || text.length <= 1) return fitting;
    // A character takes at least one byte, and the sign that marks the cut takes three.
    annotations.set(longest, cutText(text, Math.max(1, text.length - excess - 3)));
    fitting = { ...result, metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
  }
}
