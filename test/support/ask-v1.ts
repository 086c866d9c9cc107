/**
 * Sends a request to the v1 API.
 *
 * @returns the parsed body of a 2xx response; the status code if the response is an error or has no body
 */
export async function askV1(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return answer.ok && text !== '' ? JSON.parse(text) : answer.status;
}
