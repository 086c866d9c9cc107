import { parseJsonWithRawControls } from './raw-control-characters.ts';

/*
 * Parses long JSON in steps, so that other work of the event loop is not delayed. A scan finds the arrays and objects
 * that are longer than a chunk (32 Ki characters). It divides their members into runs of about one chunk each, and each
 * run is then parsed separately. Before anything is parsed, the scan checks the limits on depth, number of values and
 * length of strings.
 */

/** Number of characters scanned or parsed in one step. A step takes a few milliseconds even if all are brackets. */
const CHUNK_CHARACTERS = 32 * 1024;

/**
 * Maximum number of values in one request body, including arrays and objects; it is checked after each chunk. The limit
 * exists because a parsed value can take fifty times the memory of its text.
 */
export const BODY_VALUES_MAX = 1_000_000;
/** Maximum number of names in an object that is longer than a chunk (security S7). */
export const OBJECT_NAMES_MAX = 10_000;
/** Maximum length of a string in UTF-16 units; an escape sequence counts as one (security S7). */
export const TEXT_LENGTH_MAX = 1024 * 1024;

/** An error in the JSON of a request body. `message` completes the sentence "the body …", as in "is not JSON". */
export class JsonChunksError extends Error {
  override readonly name = 'JsonChunksError';
}

export interface ChunkedJson {
  readonly value: unknown;
  /** The value as the callback `strictly` parsed it; the same as `value` if it returned undefined for every run. */
  readonly strict: unknown;
}

export interface ChunkOptions {
  /** Maximum nesting depth. */
  readonly depthMax: number;
  /** Number of characters per step; default: `CHUNK_CHARACTERS`. */
  readonly chunk?: number;
  /** Maximum length of a string in UTF-16 units; an escape sequence counts as one. Default: `TEXT_LENGTH_MAX`. */
  readonly textLengthMax?: number;
  /**
   * Callback that checks the parsed value of each run (consecutive members of an array or object). It throws to reject
   * the value, and can delete members from it. `names` is the path to the containing array or object, without array
   * indexes. For a large member that was divided into runs itself, the callback gets its name with the value null.
   */
  readonly inspect: (value: unknown, depth: number, names: readonly string[]) => void;
  /** Callback that parses the text of a run a second time by stricter rules; undefined if the value is the same. */
  readonly strictly: (text: string) => unknown;
}

/** An array or object that is longer than a chunk, divided into runs and large members. */
interface LargeContainer {
  readonly isArray: boolean;
  readonly depth: number;
  readonly parts: ContainerPart[];
}

/** Consecutive members of an array or object (`run`), or one large member that is divided itself (`child`). */
type ContainerPart =
  | { readonly kind: 'run'; readonly start: number; readonly end: number }
  | { readonly kind: 'child'; readonly name: string | undefined; readonly container: LargeContainer };

interface Frame extends LargeContainer {
  readonly start: number;
  memberStart: number;
  /** Start of the run that is being scanned; undefined after a divided member, until the next comma. */
  runStart: number | undefined;
  hasComma: boolean;
}

/** Error message for text that is not JSON. */
export const SYNTAX_PROBLEM = 'is not JSON';

/**
 * Parses JSON in short steps. Each step ends with a `yield`, at which the caller can pause.
 *
 * @returns the value as `parseJsonWithRawControls` returns it
 * @throws JsonChunksError, or the errors of `inspect` and `strictly`
 */
export function* parseJsonInChunks(text: string, options: ChunkOptions): Generator<void, ChunkedJson, undefined> {
  const root = yield* scanText(text, options);
  if (root === undefined) return parsedRun(text, 1, options, []);
  return yield* parsedContainer(text, root, options, []);
}

/**
 * Divides a JSON text into runs of about one chunk and checks the limits.
 *
 * @returns the outermost array or object with its runs; undefined if it is not longer than a chunk, or if the text is
 *   neither an array nor an object
 */
function* scanText(
  text: string,
  { depthMax, chunk = CHUNK_CHARACTERS, textLengthMax = TEXT_LENGTH_MAX }: ChunkOptions,
): Generator<void, LargeContainer | undefined, undefined> {
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  let root: LargeContainer | undefined;
  let values = 1;
  let yieldAt = chunk;
  for (let at = 0; at < text.length; at++) {
    if (at > yieldAt) {
      yieldAt = at + chunk;
      if (values > BODY_VALUES_MAX)
        throwChunksError(`has more than ${BODY_VALUES_MAX.toLocaleString('en-US')} values: send it in parts`);
      yield;
    }
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end: number = yield* findClosingQuote(text, at, textLengthMax);
        at = end;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (frames.length >= depthMax) throwChunksError(`is nested deeper than ${String(depthMax)} levels`);
        if (root !== undefined) throwChunksError(SYNTAX_PROBLEM);
        frame = {
          isArray: text.charCodeAt(at) === 0x5b,
          depth: frames.length + 1,
          parts: [],
          start: at,
          memberStart: at + 1,
          runStart: at + 1,
          hasComma: false,
        };
        frames.push(frame);
        break;
      case 0x5d: // ]
      case 0x7d: {
        // }
        const closed = frames.pop();
        if (closed === undefined || closed.isArray !== (text.charCodeAt(at) === 0x5d)) throwChunksError(SYNTAX_PROBLEM);
        frame = frames.at(-1);
        const length = at + 1 - closed.start;
        if (closed.parts.length > 0 || length > chunk) {
          endRun(text, closed, at);
          if (frame === undefined) root = rootOf(text, closed);
          else addChild(text, frame, closed, at + 1);
        }
        break;
      }
      case 0x2c: // ,
        values++;
        if (frame !== undefined) cutRun(text, frame, at, chunk);
        break;
    }
  }
  if (frames.length > 0) throwChunksError(SYNTAX_PROBLEM);
  if (root !== undefined && text.slice(text.lastIndexOf(root.isArray ? ']' : '}') + 1).trim() !== '')
    throwChunksError(SYNTAX_PROBLEM);
  return root;
}

/**
 * Returns the position of the closing quote of a string.
 *
 * @param start position of its opening quote
 */
function* findClosingQuote(text: string, start: number, lengthMax: number): Generator<void, number, undefined> {
  let yieldAt = start + 8 * CHUNK_CHARACTERS;
  let escapes = 0;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      if (at - start - 1 - escapes > lengthMax) {
        throwChunksError(`has a text of more than ${lengthMax.toLocaleString('en-US')} characters: shorten it`);
      }
      return at;
    }
    if (code === 0x5c) {
      const length = text.charCodeAt(at + 1) === 0x75 ? 5 : 1;
      escapes += length;
      at++;
    }
    if (at > yieldAt) {
      yieldAt = at + 8 * CHUNK_CHARACTERS;
      yield;
    }
  }
  return throwChunksError(SYNTAX_PROBLEM);
}

function rootOf(text: string, closed: Frame): LargeContainer {
  if (text.slice(0, closed.start).trim() !== '') throwChunksError(SYNTAX_PROBLEM);
  return closed;
}

function cutRun(text: string, frame: Frame, comma: number, chunk: number): void {
  frame.hasComma = true;
  if (frame.runStart === undefined) {
    if (!isBlank(text, frame.memberStart, comma)) throwChunksError(SYNTAX_PROBLEM);
    frame.runStart = comma + 1;
  } else if (comma - frame.runStart >= chunk) {
    addRun(text, frame, comma);
    frame.runStart = comma + 1;
  }
  frame.memberStart = comma + 1;
}

function endRun(text: string, frame: Frame, end: number): void {
  if (frame.runStart === undefined) {
    if (!isBlank(text, frame.memberStart, end)) throwChunksError(SYNTAX_PROBLEM);
  } else if (frame.hasComma || !isBlank(text, frame.runStart, end)) {
    addRun(text, frame, end);
  }
}

function addRun(text: string, { parts, runStart = 0 }: Frame, end: number): void {
  if (isBlank(text, runStart, end)) throwChunksError(SYNTAX_PROBLEM);
  parts.push({ kind: 'run', start: runStart, end });
}

/** Adds a large array or object whose end was just scanned to the array or object that contains it. */
function addChild(text: string, frame: Frame, closed: Frame, end: number): void {
  const { isArray, depth, parts, start } = closed;
  const { memberStart, runStart } = frame;
  if (runStart === undefined) throwChunksError(SYNTAX_PROBLEM);
  // The current run ends at the comma before this member.
  if (memberStart > runStart) addRun(text, frame, memberStart - 1);
  const name = frame.isArray ? undefined : nameOf(text.slice(memberStart, start));
  if (frame.isArray && !isBlank(text, memberStart, start)) throwChunksError(SYNTAX_PROBLEM);
  frame.parts.push({ kind: 'child', name, container: { isArray, depth, parts } });
  frame.runStart = undefined;
  // Between this member and the next comma, only blanks are allowed.
  frame.memberStart = end;
}

/** Returns the name of an object member from the text before its value, such as `"name":`. */
function nameOf(before: string): string {
  const text = before.trim();
  if (!text.endsWith(':')) throwChunksError(SYNTAX_PROBLEM);
  const name = parsedText(text.slice(0, -1));
  return typeof name === 'string' ? name : throwChunksError(SYNTAX_PROBLEM);
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return true;
}

function* parsedContainer(
  text: string,
  { isArray, depth, parts }: LargeContainer,
  options: ChunkOptions,
  names: readonly string[],
): Generator<void, ChunkedJson, undefined> {
  const members: ChunkedJson[] = [];
  for (const part of parts) {
    if (part.kind === 'run') {
      const run = text.slice(part.start, part.end);
      members.push(parsedRun(isArray ? `[${run}]` : `{${run}}`, depth, options, names));
      yield;
    } else {
      const { name } = part;
      const inside = name === undefined ? names : [...names, name];
      const { value, strict } = yield* parsedContainer(text, part.container, options, inside);
      const named = name === undefined ? undefined : { [name]: null };
      if (named !== undefined) {
        options.inspect(named, depth, names);
        if (Object.keys(named).length === 0) continue;
      }
      const member = (of: unknown): unknown => (name === undefined ? [of] : { [name]: of });
      const own = member(value);
      members.push({ value: own, strict: strict === value ? own : member(strict) });
    }
  }
  const isStrict = members.some(({ value, strict }) => value !== strict);
  const value = yield* joinMembers(
    isArray,
    members.map((member) => member.value),
  );
  return {
    value,
    strict: isStrict
      ? yield* joinMembers(
          isArray,
          members.map((member) => member.strict),
        )
      : value,
  };
}

function* joinMembers(isArray: boolean, members: readonly unknown[]): Generator<void, unknown, undefined> {
  if (isArray) {
    const all: unknown[] = [];
    for (const items of members as readonly (readonly unknown[])[]) {
      for (const item of items) all.push(item);
      yield;
    }
    return all;
  }
  const all: Record<string, unknown> = {};
  let names = 0;
  for (const some of members as readonly Readonly<Record<string, unknown>>[]) {
    names += Object.keys(some).length;
    if (names > OBJECT_NAMES_MAX)
      throwChunksError(`has an object of more than ${OBJECT_NAMES_MAX.toLocaleString('en-US')} names: send fewer`);
    Object.assign(all, some);
    yield;
  }
  return all;
}

function parsedRun(
  text: string,
  depth: number,
  { inspect, strictly }: ChunkOptions,
  names: readonly string[],
): ChunkedJson {
  const value = parsedText(text);
  inspect(value, depth, names);
  const strict = strictly(text);
  return { value, strict: strict === undefined ? value : strict };
}

function parsedText(text: string): unknown {
  try {
    return parseJsonWithRawControls(text);
  } catch {
    return throwChunksError(SYNTAX_PROBLEM);
  }
}

function throwChunksError(message: string): never {
  throw new JsonChunksError(message);
}
