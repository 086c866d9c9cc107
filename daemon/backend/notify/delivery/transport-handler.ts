import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorMessage } from '../../../../shared/errors.ts';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import { parseStreamAddress } from '../../../../shared/schemas/stream-address.ts';
import { DELIVERED_OUTCOME, retryableFailure, type DeliveryOutcome } from './outcome.ts';
import { sendTcp, type NetworkDependencies } from './tcp.ts';

export type TransportHandler = Extract<RunningHandler, { type: 'transport' }>;

/**
 * Maximum size in bytes of a message that a transport handler publishes. The live feed sends a message to each of its
 * readers in a single WebSocket frame.
 */
export const TRANSPORT_MESSAGE_BYTES_MAX = 256 * 1024;

/**
 * Sends the data to the file and the socket in `pipe.options` of a transport handler; both are optional. If the file
 * cannot be written, nothing is sent to the socket.
 */
export async function sendToFileAndSocket(
  data: string,
  { pipe: { options = {} } }: TransportHandler,
  deps: NetworkDependencies,
): Promise<DeliveryOutcome> {
  const { file, socket } = options;
  const target = socket === undefined ? undefined : parseStreamAddress(socket);
  const fileOutcome = file === undefined ? DELIVERED_OUTCOME : await appendLine(file, toJsonLine(data));
  if (fileOutcome.kind === 'failed' || target === undefined) return fileOutcome;
  return await sendTcp({ data, target }, deps);
}

/**
 * Flags to open a file for appending. If the file is a named pipe without a reader, opening it fails at once instead of
 * blocking a thread.
 */
const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

const OWNER_ONLY_MODE = 0o600;

async function appendLine(file: string, line: string): Promise<DeliveryOutcome> {
  try {
    await using handle = await open(file, APPEND_FLAGS, OWNER_ONLY_MODE);
    const bytes = Buffer.from(`${line}\n`);
    // A single write call keeps the lines of concurrent runs from interleaving.
    const { bytesWritten } = await handle.write(bytes);
    if (bytesWritten === bytes.length) return DELIVERED_OUTCOME;
    return retryableFailure(`only a part of the line could be written to ${file}: look for room on the disk`);
  } catch (error) {
    return retryableFailure(`${file} cannot be written: ${errorMessage(error)}`);
  }
}

/** Returns the output of a mutator as one line of JSON. Output that is not JSON becomes a JSON string. */
function toJsonLine(data: string): string {
  try {
    const value: unknown = JSON.parse(data);
    return /[\r\n]/.test(data) ? JSON.stringify(value) : data;
  } catch {
    return JSON.stringify(data);
  }
}
