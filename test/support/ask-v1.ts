/** @returns the body of what is answered with 2xx, else the status; also where the body is empty */
export async function askV1(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return answer.ok && text !== '' ? JSON.parse(text) : answer.status;
}
