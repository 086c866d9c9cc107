import type { WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { VERSION } from '../../../shared/schemas/version.ts';

/*
 * A dump has a marker at its beginning and at its end, so that a truncated dump is detected before anything is
 * restored. In YAML the markers are comments. JSON has no comments, so there they are objects.
 */

const MARK_VERSION = 'mon/v1';

export const BEGIN_TEXT = `# dump of monctl ${VERSION}\n`;
export const BEGIN_LINE = /^# dump of monctl /m;
export const END_LINE = /^# complete: (\d{1,12}) objects$/m;

export function endText(count: number): string {
  return `...\n# complete: ${String(count)} objects\n`;
}

export function beginObject(): WrappedObject {
  return { type: 'DumpBegin', api_version: MARK_VERSION, metadata: {}, spec: { version: VERSION } };
}

export function endObject(count: number): WrappedObject {
  return { type: 'DumpEnd', api_version: MARK_VERSION, metadata: {}, spec: { objects: count } };
}

export function isBegin({ type, api_version: version }: WrappedObject): boolean {
  return version === MARK_VERSION && type === 'DumpBegin';
}

export function isEnd({ type, api_version: version }: WrappedObject): boolean {
  return version === MARK_VERSION && type === 'DumpEnd';
}
