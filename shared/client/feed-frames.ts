import { MonError } from '../errors.ts';
import {
  clientRowSchema,
  eventBriefSchema,
  feedEventRowSchema,
  feedMessageSchema,
  numbersSchema,
  type FeedMessage,
} from '../schemas/feed.ts';
import { shownAcknowledgementSchema } from '../schemas/acknowledgement.ts';
import { shownEscalationsSchema } from '../schemas/escalation.ts';
import { recoverySchema } from '../schemas/recovery.ts';
import { compiledCheck, isObject } from './compiled-check.ts';

/**
 * Hand-written checks for the schemas whose values arrive by the thousand, so that a snapshot of 100,000 rows does not
 * block the screen. Checks compiled from the schemas need 13 % more time for a frame of 1,000 rows. A test compares
 * these checks with the schemas.
 */
const HAND_WRITTEN_CHECKS = new Map<unknown, (row: unknown) => boolean>([
  [feedEventRowSchema, isEventRow],
  [clientRowSchema, isClientRow],
  [eventBriefSchema, isEventBrief],
  [numbersSchema, isListOfNumbers],
]);

const MESSAGE_CHECKS = new Map<unknown, (frame: unknown) => frame is FeedMessage>(
  feedMessageSchema.options.map((option) => [
    option.shape.type.value,
    compiledCheck<FeedMessage>(option, HAND_WRITTEN_CHECKS),
  ]),
);

/**
 * Parses a frame of the backend. Every row is checked, because an invalid row would crash the display.
 *
 * @returns the message; undefined if the type of the frame is unknown, because a newer backend can send further types
 * @throws MonError `invalid` if the frame is malformed; the message contains the path of the invalid value
 */
export function parseFeedFrame(text: string): FeedMessage | undefined {
  const frame = parseJson(text);
  const type = typeof frame === 'object' && frame !== null && 'type' in frame ? frame.type : undefined;
  const isMessage = MESSAGE_CHECKS.get(type);
  if (isMessage === undefined && typeof type === 'string') return undefined;
  if (isMessage?.(frame) === true) return frame;
  throw new MonError('invalid', `the backend sent a malformed frame: ${issuePathOf(frame)}`);
}

function isEventRow(row: unknown): boolean {
  return (
    isObject(row) &&
    isEventBrief(row) &&
    isTextOrAbsent(row['namespace']) &&
    typeof row['client'] === 'string' &&
    typeof row['check'] === 'string' &&
    typeof row['occurrences'] === 'number' &&
    typeof row['last'] === 'number' &&
    typeof row['output'] === 'string' &&
    isTextOrAbsent(row['client_set']) &&
    isTextOrAbsent(row['check_set']) &&
    (row['groups'] === undefined || isListOfTexts(row['groups'])) &&
    (row['recovering'] === undefined || isRecovery(row['recovering']))
  );
}

function isRecovery(recovery: unknown): boolean {
  return recoverySchema.safeParse(recovery).success;
}

function isEventBrief(row: unknown): boolean {
  return (
    isObject(row) &&
    typeof row['status'] === 'number' &&
    (row['action'] === 'create' || row['action'] === 'resolve' || row['action'] === 'flapping') &&
    typeof row['since'] === 'number' &&
    isListOfTexts(row['silenced_by']) &&
    (row['inhibited_by'] === undefined || isInhibitor(row['inhibited_by'])) &&
    (row['acknowledged'] === undefined || shownAcknowledgementSchema.safeParse(row['acknowledged']).success) &&
    (row['escalations'] === undefined || shownEscalationsSchema.safeParse(row['escalations']).success)
  );
}

function isInhibitor(by: unknown): boolean {
  return isObject(by) && [by['rule'], by['client'], by['check']].every((name) => typeof name === 'string');
}

function isClientRow(row: unknown): boolean {
  return (
    isObject(row) &&
    isTextOrAbsent(row['namespace']) &&
    typeof row['name'] === 'string' &&
    typeof row['address'] === 'string' &&
    isListOfTexts(row['subscriptions']) &&
    typeof row['timestamp'] === 'number' &&
    (typeof row['keepalives'] === 'boolean' || (row['keepalives'] ?? undefined) === undefined) &&
    typeof row['version'] === 'string'
  );
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isListOfNumbers(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  // A loop is several times as fast as a call for each of hundreds of thousands of numbers.
  for (const item of value) if (typeof item !== 'number') return false;
  return true;
}

function issuePathOf(frame: unknown): string {
  const [issue] = feedMessageSchema.safeParse(frame).error?.issues ?? [];
  const [first = 'frame', topic, key, ...remaining] = issue?.path.map(String) ?? [];
  if (first === 'rows' && key !== undefined) return `rows.${String(topic)}[${JSON.stringify(key)}]`;
  return [first, topic, key, ...remaining].filter((part) => part !== undefined).join('.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MonError('invalid', 'the backend sent a frame that is not JSON', { cause: error });
  }
}
