import { validateHeaderName, validateHeaderValue, type IncomingHttpHeaders } from 'node:http';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';

type Cors = ApiSettings['cors'];

const DEFAULTS = {
  Origin: '*',
  Methods: 'GET, POST, PUT, DELETE, OPTIONS',
  Credentials: 'true',
  Headers: 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
};

/** What the legacy service does not have. */
const NEWER = /^\/(?:api|auth|version|metrics)(?:\/|$)/;

/** Headers for the answer of a route, or about a path, as it is after decoding; their names in lower case, as they are sent. */
export type CorsHeaders = (path: string) => Readonly<Record<string, string>>;

/**
 * Headers of every answer: any key of the setting becomes `Access-Control-Allow-<key>` (legacy-peer, HTTP conventions).
 * Without the setting those of the legacy service let every site read; they are only for what that has. To the rest, where
 * definitions and users are, no other site has a way unless the operator names it.
 *
 * @throws MonError `invalid` when that makes no header
 */
export function corsHeaders(cors: Cors): CorsHeaders {
  const headers = headersOf(cors === false ? {} : (cors ?? DEFAULTS));
  return (path) => (cors === undefined && NEWER.test(path) ? {} : headers);
}

function headersOf(cors: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(cors)) {
    const name = `Access-Control-Allow-${key}`;
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw new MonError('invalid', `api.cors.${key} is not a valid HTTP header: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @throws MonError `forbidden` */
export type RefuseForeignWrite = (method: string, headers: IncomingHttpHeaders) => void;

/**
 * Keeps pages of other sites from changing anything through somebody's browser (security S5). Browsers name the site in
 * `Origin`; programs send none and are let through. The default headers let every site read, and none write: for that
 * the operator has to name it in `api.cors`.
 */
export function foreignWriteGuard(cors: Cors): RefuseForeignWrite {
  const opened = cors === undefined || cors === false ? undefined : cors['Origin'];
  return (method, headers) => {
    const { origin } = headers;
    if (origin === undefined || READING.has(method)) return;
    if (URL.parse(origin)?.host !== headers.host?.toLowerCase() && opened !== '*' && opened !== origin) {
      throw new MonError('forbidden', `pages of ${origin} cannot make changes: allow the origin in api.cors.Origin`);
    }
    // A form can be sent from anywhere without asking first, JSON cannot.
    if (method !== 'DELETE' && !isJson(headers['content-type'])) {
      throw new MonError('forbidden', 'a request with an Origin header must have the content type application/json');
    }
  };
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:merge-patch\+)?json$/i.test(contentType?.split(';', 1)[0]?.trim() ?? '');
}
