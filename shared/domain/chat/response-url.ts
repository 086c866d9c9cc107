/** The hosts to which Slack lets apps send responses (docs.slack.dev/interactivity/handling-user-interaction). */
const SLACK_RESPONSE_URL = /^https:\/\/hooks\.slack(?:-gov)?\.com\/[\x21-\x5b\x5d-\x7e]*$/;

/** Matches the origin of a URL on this machine, such as that of a receiver in a test. */
const LOCAL_ORIGIN = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?=\/)/;

/**
 * True if a response may be sent to the `response_url` of a callback. Only the hosts of Slack are allowed, because the
 * sender of a callback must not choose where the backend connects to. A handler whose own URL is on this machine also
 * gets responses at the origin of that URL.
 */
export function isAllowedResponseUrl(responseUrl: string, handlerUrl: string | undefined): boolean {
  if (SLACK_RESPONSE_URL.test(responseUrl)) return true;
  const [origin] = LOCAL_ORIGIN.exec(handlerUrl ?? '') ?? [];
  return origin !== undefined && responseUrl.startsWith(`${origin}/`);
}
