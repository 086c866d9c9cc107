import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { defineExtension, extensionResult, numberSchema, type ExtensionResult } from './extension.ts';
import { withTimeLimit, probeFailureText } from './probe-limit.ts';

/** Number of bytes of the response after which the search for the expected text ends. */
const ANSWER_BYTES_MAX = 64 * 1024;

const parametersSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: numberSchema.pipe(z.int().min(1).max(65_535)),
  /** A text that is sent as soon as the connection is open; absent if nothing is sent. */
  send: z.string().optional(),
  /** A text that the peer must send; absent if an open connection is enough. */
  expect: z.string().min(1).optional(),
  /** Time limit for the connection and the expected text, in seconds. */
  timeout: numberSchema.pipe(z.number().positive().max(600)).default(10),
});

/** Checks that a TCP port accepts connections and, with `expect`, that the peer sends the expected text. */
export const tcp = defineExtension(
  'tcp',
  parametersSchema,
  async (parameters, { signal }): Promise<ExtensionResult> => {
    const { host, port, send, expect, timeout } = parameters;
    const endpoint = `${host}:${String(port)}`;
    const limit = withTimeLimit(timeout, signal);
    const startedMs = performance.now();
    const socket = connect({ host, port, signal: limit }).on('error', () => undefined);
    try {
      await once(socket, 'connect');
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(3);
      if (send !== undefined) socket.write(send);
      if (expect === undefined) return extensionResult('tcp', 0, `${endpoint} accepts connections after ${seconds} s`);
      let answer = '';
      for await (const piece of socket as AsyncIterable<Buffer>) {
        answer += piece.toString('latin1');
        if (answer.includes(Buffer.from(expect).toString('latin1'))) {
          return extensionResult('tcp', 0, `${endpoint} responds with "${expect}", connected after ${seconds} s`);
        }
        if (answer.length > ANSWER_BYTES_MAX) break;
      }
      return extensionResult(
        'tcp',
        2,
        `${endpoint} responds with something other than "${expect}": "${answer.slice(0, 100)}"`,
      );
    } catch (error) {
      return extensionResult('tcp', 2, `${endpoint} ${probeFailureText(error, limit, timeout)}`);
    } finally {
      socket.destroy();
    }
  },
);
