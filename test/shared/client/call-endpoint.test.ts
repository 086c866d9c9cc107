import { expect, test } from 'vitest';
import { pathParameters, type Endpoint } from '../../../shared/api/endpoint.ts';
import { MON_API } from '../../../shared/api/mon.ts';
import { endpointCaller, requestOf } from '../../../shared/client/call-endpoint.ts';
import { requestUrl, type ApiResponse, type ApiRequest } from '../../../shared/client/request.ts';

const URL = 'http://backend:4567';

/** Returns an API caller that gets this response to every request, and the requests that it made. */
function callerWithResponse(answer: ApiResponse): {
  requests: ApiRequest[];
  caller: ReturnType<typeof endpointCaller>;
} {
  const requests: ApiRequest[] = [];
  const caller = endpointCaller(URL, (request) => {
    requests.push(request);
    return Promise.resolve(answer);
  });
  return { requests, caller };
}

test.each(Object.entries(MON_API) as [string, Endpoint][])(
  'the endpoint %s is requested with the method and path of the endpoint table',
  (_name, endpoint) => {
    const path = Object.fromEntries(pathParameters(endpoint).map((name) => [name, `a ${name}`]));
    const request = requestOf(endpoint, { path });
    expect(request.method).toBe(endpoint.method);
    expect(requestUrl(URL, request).pathname).toBe(endpoint.path.replaceAll(/:(\w+)/g, 'a%20$1'));
  },
);

test('a call of an endpoint returns the response in the type of the endpoint table', async () => {
  const { requests, caller } = callerWithResponse({ status: 200, body: { moved: 3 } });
  const body = { to: 'other' };
  expect(
    await caller.call(MON_API.renameCheck, { path: { check: 'disk' }, query: { namespace: 'shop' }, body }),
  ).toEqual({
    moved: 3,
  });
  expect(requests).toEqual([
    { method: 'POST', path: ['api', 'mon', 'v1', 'checks', 'disk', 'rename'], query: { namespace: 'shop' }, body },
  ]);
});

test('a response that does not match the type of the endpoint table is rejected', async () => {
  const { caller } = callerWithResponse({ status: 200, body: { moved: 'many' } });
  await expect(caller.call(MON_API.renameCheck, { path: { check: 'disk' } })).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringContaining('(moved: ') as string,
  });
});

test('a lookup endpoint returns undefined when the object does not exist', async () => {
  const { requests, caller } = callerWithResponse({ status: 404, body: { error: 'no', code: 'not_found' } });
  expect(await caller.find(MON_API.deadLetter, { path: { id: 7 } })).toBeUndefined();
  expect(requests).toMatchObject([{ path: ['api', 'mon', 'v1', 'dead-letters', '7'], accept: [404] }]);
});

test('a call without a parameter of the path fails with an internal error', () => {
  expect(() => requestOf(MON_API.check, {})).toThrow('/api/mon/v1/checks/:check needs its check');
});
