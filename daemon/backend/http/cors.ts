import { validateHeaderName, validateHeaderValue, type IncomingHttpHeaders } from 'node:http';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { ApiSettings } from '../../../shared/schemas/settings.ts';

type CorsSetting = ApiSettings['cors'];

const DEFAULT_CORS = {
  Origin: '*',
  Methods: 'GET, POST, PUT, DELETE, OPTIONS',
  Credentials: 'true',
  Headers: 'Origin, X-Requested-With, Content-Type, Accept, Authorization',
};

/** Matches paths that Sensu 1.x does not have. */
const PATHS_NOT_IN_SENSU_1 = /^\/(?:api|auth|version|metrics)(?:\/|$)/;

/**
 * Returns the CORS headers for the response to a request with the given path, decoded or as a route pattern. The names
 * of the headers are in lower case, as they are sent.
 */
export type CorsHeaders = (path: string) => Readonly<Record<string, string>>;

/**
 * Returns a function for the CORS headers of every response. Each key of the setting `api.cors` becomes a header
 * `Access-Control-Allow-<key>` (legacy-peer, HTTP conventions). Without the setting, web pages of every site can read
 * the routes of Sensu 1.x, as in Sensu. Web pages of other sites then cannot read other routes, such as definitions and
 * users.
 *
 * @throws MonError `invalid` if a key or value is not valid in a header
 */
export function corsHeaders(cors: CorsSetting): CorsHeaders {
  const headers = headersOf(cors === false ? {} : (cors ?? DEFAULT_CORS));
  return (path) => (cors === undefined && PATHS_NOT_IN_SENSU_1.test(path) ? {} : headers);
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

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Rejects a request with which a web page of another site would make a change. @throws MonError `forbidden` */
export type RefuseForeignWrite = (method: string, headers: IncomingHttpHeaders) => void;

/**
 * Returns a function that prevents pages of other sites from making changes through a user's browser (security S5).
 * Browsers send the site in the header `Origin`; requests without this header are admitted. An operator can allow a
 * site in `api.cors`.
 */
export function foreignWriteGuard(cors: CorsSetting): RefuseForeignWrite {
  const opened = cors === undefined || cors === false ? undefined : cors['Origin'];
  return (method, headers) => {
    const { origin } = headers;
    if (origin === undefined || READING_METHODS.has(method)) return;
    if (URL.parse(origin)?.host !== headers.host?.toLowerCase() && opened !== '*' && opened !== origin) {
      throw new MonError(
        'forbidden',
        `web pages from ${origin} cannot make changes: allow the origin in api.cors.Origin`,
      );
    }
    // A page of any site can send a form without a preflight request, but it cannot send JSON.
    if (method !== 'DELETE' && !isJson(headers['content-type'])) {
      throw new MonError('forbidden', 'a request with an Origin header must have the content type application/json');
    }
  };
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:merge-patch\+)?json$/i.test(contentType?.split(';', 1)[0]?.trim() ?? '');
}
