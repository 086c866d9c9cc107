import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  /** The headers, with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed text; `undefined` if it is not JSON. */
  readonly body: unknown;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly version?: string;
}

/**
 * Sends raw bytes on one connection, because an HTTP client would correct an invalid method, path or header.
 *
 * @param methods methods of the requests in `bytes`; one response is expected for each
 * @returns the responses that arrived before the connection was closed
 */
export function exchange(url: string, bytes: string | Buffer, methods: readonly string[]): Promise<Answer[]> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer[]>();
  const socket = connect(Number(port), hostname);
  const answers: Answer[] = [];
  let received = Buffer.alloc(0);
  const parse = (isEnded: boolean): void => {
    for (;;) {
      const found = parseResponse(received, methods[answers.length] ?? 'GET', isEnded);
      if (found === undefined) return;
      received = received.subarray(found.length);
      if (found.answer.status < 200) continue;
      answers.push(found.answer);
      if (answers.length < methods.length) continue;
      socket.destroy();
      resolve(answers);
      return;
    }
  };
  socket.on('connect', () => socket.write(bytes));
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    parse(false);
  });
  socket.on('error', reject);
  socket.on('close', () => {
    parse(true);
    resolve(answers);
  });
  return promise;
}

/** Sends one request on a new connection, and returns the response. */
export async function send(url: string, request: RawRequest): Promise<Answer> {
  const [answer] = await exchange(url, requestBytes(request), [request.method]);
  if (answer === undefined) throw new Error(`no answer to ${request.method} ${request.target}`);
  return answer;
}

export function requestBytes({ method, target, headers = {}, body, version = 'HTTP/1.1' }: RawRequest): string {
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...(typeof body === 'string' ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}),
    ...headers,
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${target} ${version}\r\n${head}\r\n${body ?? ''}`;
}

function parseResponse(
  bytes: Buffer,
  method: string,
  isEnded: boolean,
): { answer: Answer; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = bytes.subarray(headEnd + 4);
  const isBodyless = method === 'HEAD' || status < 200 || status === 204;
  if (!isBodyless && headers['transfer-encoding'] === 'chunked') {
    const chunks = chunksOf(rest);
    if (chunks === undefined) return undefined;
    return {
      answer: { status, headers, text: chunks.text, body: bodyOf(chunks.text) },
      length: headEnd + 4 + chunks.length,
    };
  }
  const size = isBodyless ? 0 : Number(headers['content-length'] ?? (isEnded ? rest.length : Infinity));
  if (rest.length < size) return undefined;
  const text = rest.subarray(0, size).toString();
  return { answer: { status, headers, text, body: bodyOf(text) }, length: headEnd + 4 + size };
}

/** Returns the text and the length of a chunked body; `undefined` if it is incomplete. */
function chunksOf(bytes: Buffer): { readonly text: string; readonly length: number } | undefined {
  // The end is checked first, because otherwise all chunks would be parsed again whenever data arrives.
  if (!bytes.subarray(-5).equals(LAST_CHUNK)) return undefined;
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const start = lineEnd + 2;
    if (size === 0) return { text: Buffer.concat(pieces).toString(), length: start + 2 };
    pieces.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
  return undefined;
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
