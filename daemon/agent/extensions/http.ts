import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { z } from 'zod';
import { defineExtension, extensionResult, numberSchema, statusForMaximum, type ExtensionResult } from './extension.ts';
import { withTimeLimit, probeFailureText } from './probe-limit.ts';

/** Number of bytes of a response body after which reading stops. */
const BODY_BYTES_MAX = 1024 * 1024;

const parametersSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' }),
  method: z.enum(['GET', 'HEAD', 'POST']).default('GET'),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
  /** The only accepted HTTP status; absent if every status below 400 is accepted. */
  status: numberSchema.pipe(z.int().min(100).max(599)).optional(),
  /** A text that the response body must contain. */
  contains: z.string().min(1).optional(),
  /** Response time in seconds, including the body, at which the status is WARNING. */
  warning: numberSchema.default(Number.POSITIVE_INFINITY),
  critical: numberSchema.default(Number.POSITIVE_INFINITY),
  timeout: numberSchema.pipe(z.number().positive().max(600)).default(10),
});

type HttpParameters = z.infer<typeof parametersSchema>;

/**
 * Checks an HTTP endpoint. Every URL is allowed, because the operator sets it to monitor services of this machine and
 * its network. Redirects are not followed, so that no response can lead the check to another address. Only data in the
 * check definition is sent (security S15).
 */
export const http = defineExtension(
  'http',
  parametersSchema,
  async (parameters, { signal }): Promise<ExtensionResult> => {
    const { url, status, contains, timeout } = parameters;
    const limit = withTimeLimit(timeout, signal);
    const startedMs = performance.now();
    try {
      const answer = await sendRequest(parameters, limit);
      const body = await readStart(answer);
      const seconds = (performance.now() - startedMs) / 1000;
      const code = answer.statusCode ?? 0;
      const isRight = status === undefined ? code < 400 : code === status;
      const summary = `${withoutSecrets(url)} answers ${String(code)} after ${seconds.toFixed(3)} s`;
      if (!isRight)
        return extensionResult('http', 2, `${summary}${status === undefined ? '' : `, not ${String(status)}`}`);
      if (contains !== undefined && !body.includes(contains))
        return extensionResult('http', 2, `${summary}, without "${contains}"`);
      return extensionResult('http', statusForMaximum(seconds, parameters), summary);
    } catch (error) {
      return extensionResult('http', 2, `${withoutSecrets(url)} ${probeFailureText(error, limit, timeout)}`);
    }
  },
);

async function sendRequest(
  { url, method, headers, body }: HttpParameters,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  // Open a new connection for each check: a reused connection would hide that new connections are rejected.
  const request = start(url, { method, headers: { 'User-Agent': 'mon-agent', ...headers }, agent: false, signal });
  // Ignore errors of the request here: `once` reports those before the response, and the reader of the response later
  // ones.
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

/** Returns the URL without its credentials and its query, because both can contain a password. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
