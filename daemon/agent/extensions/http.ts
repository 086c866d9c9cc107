import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { z } from 'zod';
import { defineExtension, finding, numberSchema, statusOver, type Finding } from './extension.ts';
import { limitedTo, whyItFailed } from './probe-limit.ts';

/** Most of an answer that is read and searched. */
const BODY_BYTES_MAX = 1024 * 1024;

const parametersSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' }),
  method: z.enum(['GET', 'HEAD', 'POST']).default('GET'),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
  /** The only status that is right; without it, everything below 400. */
  status: numberSchema.pipe(z.int().min(100).max(599)).optional(),
  /** A text that the answer must hold. */
  contains: z.string().min(1).optional(),
  /** Seconds until the whole answer was there. */
  warning: numberSchema.default(Number.POSITIVE_INFINITY),
  critical: numberSchema.default(Number.POSITIVE_INFINITY),
  timeout: numberSchema.pipe(z.number().positive().max(600)).default(10),
});

type Parameters = z.infer<typeof parametersSchema>;

/**
 * An HTTP endpoint that must answer well. The target is what the operator wrote, wherever it is: to look at services of
 * this machine and its network is what the check is for. Redirects are not followed, so no answer can lead it
 * elsewhere, and nothing is sent but what the definition says (security S15).
 */
export const http = defineExtension('http', parametersSchema, async (parameters, { signal }): Promise<Finding> => {
  const { url, status, contains, timeout } = parameters;
  const limit = limitedTo(timeout, signal);
  const startedMs = performance.now();
  try {
    const answer = await ask(parameters, limit);
    const body = await readStart(answer);
    const seconds = (performance.now() - startedMs) / 1000;
    const code = answer.statusCode ?? 0;
    const isRight = status === undefined ? code < 400 : code === status;
    const said = `${shown(url)} answers ${String(code)} after ${seconds.toFixed(3)} s`;
    if (!isRight) return finding('http', 2, `${said}${status === undefined ? '' : `, not ${String(status)}`}`);
    if (contains !== undefined && !body.includes(contains)) return finding('http', 2, `${said}, without "${contains}"`);
    return finding('http', statusOver(seconds, parameters), said);
  } catch (error) {
    return finding('http', 2, `${shown(url)} ${whyItFailed(error, limit, timeout)}`);
  }
});

async function ask({ url, method, headers, body }: Parameters, signal: AbortSignal): Promise<IncomingMessage> {
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  // A connection of its own: a kept one would hide that new ones are not taken.
  const request = start(url, { method, headers: { 'User-Agent': 'mon-agent', ...headers }, agent: false, signal });
  // Once there is an answer, whoever reads it is told of errors.
  request.on('error', () => undefined).end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

async function readStart(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= BODY_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Without what may be a password. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
