import got from 'got';
import { errorMessage, MonError } from '../../../../shared/errors.ts';

/** Maximum size of a response in bytes. A token with 1,000 groups is smaller than 100 KiB. */
const RESPONSE_BYTES_MAX = 512 * 1024;

const TIMEOUT_MS = 5000;

interface IssuerRequest {
  readonly url: string;
  /** Parameters that are sent as a form by POST; undefined for a GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** CA certificates (PEM) that verify the server; undefined for those of Node.js. */
  readonly ca: string | undefined;
}

interface IssuerResponse {
  readonly status: number;
  /** The JSON value of the body; undefined if the body is not JSON. */
  readonly body: unknown;
}

/**
 * Sends a request to an identity provider. Redirects are not followed, because they could lead tokens to another host.
 *
 * @throws MonError `unavailable` if there is no usable response. The message contains neither tokens nor parameters
 */
export async function requestIssuer({ url, form, headers, ca }: IssuerRequest): Promise<IssuerResponse> {
  const tooLarge = new AbortController();
  try {
    const pending = got(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...headers },
      ...(form !== undefined && { form }),
      ...(ca !== undefined && { https: { certificateAuthority: ca } }),
      timeout: { request: TIMEOUT_MS },
      retry: { limit: 0 },
      throwHttpErrors: false,
      followRedirect: false,
      // Decompression is off, because a small compressed response could expand to a huge one.
      decompress: false,
      signal: tooLarge.signal,
    });
    void pending.on('downloadProgress', ({ transferred }) => {
      if (transferred > RESPONSE_BYTES_MAX) tooLarge.abort();
    });
    const { statusCode: status, body } = await pending;
    if (status >= 300 && status < 400) {
      throw issuerProblem(url, 'it redirects the request: set the issuer to the URL in its discovery document');
    }
    return { status, body: parseJson(body) };
  } catch (error) {
    if (error instanceof MonError) throw error;
    // The error of the HTTP library contains the request with its tokens, so only its message is used.
    throw issuerProblem(url, tooLarge.signal.aborted ? 'its response is too large' : errorMessage(error));
  }
}

/** Returns the error for an identity provider that does not work. */
export function issuerProblem(url: string, problem: string): MonError {
  const { origin, pathname } = new URL(url);
  return new MonError('unavailable', `the identity provider does not work: ${origin}${pathname}: ${problem}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
