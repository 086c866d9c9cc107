import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorMessage } from '../../../shared/errors.ts';
import type { RunningHandler } from '../../../shared/schemas/handler.ts';
import { parseStreamAddress } from '../../../shared/schemas/stream-address.ts';
import { DELIVERED, failedForNow, type DeliveryOutcome } from './outcome.ts';
import { sendTcp, type NetworkDeps } from './tcp.ts';

export type TransportHandler = Extract<RunningHandler, { type: 'transport' }>;

/** Most bytes of one piece: a consumer of the feed must be able to take it in one frame. */
export const PIECE_BYTES_MAX = 256 * 1024;

/** Hands a piece to the file and to the socket that the definition names, if any. */
export async function sendToOutlets(
  data: string,
  { pipe: { options = {} } }: TransportHandler,
  deps: NetworkDeps,
): Promise<DeliveryOutcome> {
  const { file, socket } = options;
  const to = socket === undefined ? undefined : parseStreamAddress(socket);
  const written = file === undefined ? DELIVERED : await appendLine(file, jsonLine(data));
  if (written.kind === 'failed' || to === undefined) return written;
  return await sendTcp({ data, to }, deps);
}

/** Not blocking: a named pipe that nobody reads is a failure, and must not hold a thread. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

const OWNER_ONLY = 0o600;

async function appendLine(file: string, line: string): Promise<DeliveryOutcome> {
  try {
    await using handle = await open(file, APPENDING, OWNER_ONLY);
    const bytes = Buffer.from(`${line}\n`);
    // In one piece, so that the lines of runs at the same time do not mix.
    const { bytesWritten } = await handle.write(bytes);
    if (bytesWritten === bytes.length) return DELIVERED;
    return failedForNow(`only a part of the line could be written to ${file}: look for room on the disk`);
  } catch (error) {
    return failedForNow(`${file} cannot be written: ${errorMessage(error)}`);
  }
}

/** One line of JSON, whatever a mutator has made of the event. */
function jsonLine(data: string): string {
  try {
    const value: unknown = JSON.parse(data);
    return /[\r\n]/.test(data) ? JSON.stringify(value) : data;
  } catch {
    return JSON.stringify(data);
  }
}
