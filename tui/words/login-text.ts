import type { DeviceAuthorization } from '../../shared/schemas/oidc.ts';
import { safeText } from '../../shared/domain/terminal-text.ts';

/** Returns the lines that ask the user to confirm a login in a browser. */
export function loginLines({
  user_code: code,
  verification_uri: url,
  verification_uri_complete: completeUrl,
  expires_in: seconds,
}: DeviceAuthorization): readonly string[] {
  const minutes = String(Math.max(1, Math.floor(seconds / 60)));
  return [
    `To log in, open this page in a browser: ${safeText(url)}`,
    `and enter the code ${safeText(code)} within ${minutes} min.`,
    ...(completeUrl === undefined ? [] : [`This page has the code already: ${safeText(completeUrl)}`]),
  ];
}
