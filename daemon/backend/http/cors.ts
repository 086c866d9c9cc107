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

/** Paths that the v1 service does not have. */
const NEWER = /^\/(?:api|auth|version|metrics)(?:\/|$)/;

/**
 * Returns the CORS headers for the response of a route, or for a decoded path. Their names are in lower case, as they
 * are sent.
 */
export type CorsHeaders = (path: string) => Readonly<Record<string, string>>;

/**
 * Returns the CORS headers of every response: each key of the setting becomes `Access-Control-Allow-<key>`
 * (legacy-peer, HTTP conventions). Without the setting, the defaults of the v1 service let every site read, but only
 * its own routes. The other routes, which serve definitions and users, are closed to other sites unless the operator
 * names them.
 *
 * @throws MonError `invalid` if a key or value makes no valid header
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
 * Prevents pages of other sites from changing anything through a user's browser (security S5). Browsers name the site
 * in `Origin`; other programs send none and are admitted. The default headers let every site read, and none write. To
 * allow writes, the operator names a site in `api.cors`.
 */
export function foreignWriteGuard(cors: Cors): RefuseForeignWrite {
  const opened = cors === undefined || cors === false ? undefined : cors['Origin'];
  return (method, headers) => {
    const { origin } = headers;
    if (origin === undefined || READING.has(method)) return;
    if (URL.parse(origin)?.host !== headers.host?.toLowerCase() && opened !== '*' && opened !== origin) {
      throw new MonError(
        'forbidden',
        `web pages from ${origin} cannot make changes: allow the origin in api.cors.Origin`,
      );
    }
    // A form can be sent from any site without a preflight request, JSON cannot.
    if (method !== 'DELETE' && !isJson(headers['content-type'])) {
      throw new MonError('forbidden', 'a request with an Origin header must have the content type application/json');
    }
  };
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:merge-patch\+)?json$/i.test(contentType?.split(';', 1)[0]?.trim() ?? '');
}
