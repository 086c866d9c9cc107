import { createConfig, lintFromString } from '@redocly/openapi-core';
import { OpenAPIClientAxios, type Document, type OpenAPIClient } from 'openapi-client-axios';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { MON_API } from '../../../../shared/api/mon.ts';
import { basic } from '../../../support/asking.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const OPENAPI = '/api/mon/v1/openapi.json';
const headers = { authorization: basic('ada', 'let me in') };

let backend: RunningBackend;
let text: string;
beforeAll(async () => {
  backend = await startBackend({ settings: { api: { user: 'ada', password: 'let me in' } } });
  text = await (await fetch(backend.url + OPENAPI, { headers })).text();
});
afterAll(async () => backend[Symbol.asyncDispose]());

test('the OpenAPI document passes a linter', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test('a client that was generated from the OpenAPI document can use a backend', async () => {
  const definition = JSON.parse(text) as Document;
  const api = new OpenAPIClientAxios({ definition, axiosConfigDefaults: { baseURL: backend.url, headers } });
  const client: OpenAPIClient = await api.init();
  const answers: string[] = [];
  const call = async (operation: keyof typeof MON_API, ...given: unknown[]): Promise<void> => {
    const method = client[operation] as (...parameters: unknown[]) => Promise<{ status: number; data: unknown }>;
    const { status, data } = await method(...given);
    const { response }: { readonly response?: z.ZodType | undefined } = MON_API[operation];
    const isAsDescribed = response === undefined || response.safeParse(data).success;
    answers.push(`${operation}: ${String(status)} ${isAsDescribed ? 'as described' : JSON.stringify(data)}`);
  };
  await call('submitResults', null, [{ source: 'web-1', name: 'disk', output: 'DISK full', status: 2 }]);
  await call('events');
  await call('event', { client: 'web-1', check: 'disk' });
  await call('results');
  await call('clients');
  await call('client', { client: 'web-1' });
  await call('silence', null, { subscription: 'client:web-1', check: 'disk', reason: 'practice', expire: 60 });
  await call('silenced');
  await call('explainEvent', { client: 'web-1', check: 'disk' });
  await call('overview');
  await call('versions');
  await call('resolveEvent', { client: 'web-1', check: 'disk' });
  await call('deleteClient', { client: 'web-1' });
  expect(answers).toEqual([
    'submitResults: 202 as described',
    'events: 200 as described',
    'event: 200 as described',
    'results: 200 as described',
    'clients: 200 as described',
    'client: 200 as described',
    'silence: 201 as described',
    'silenced: 200 as described',
    'explainEvent: 200 as described',
    'overview: 200 as described',
    'versions: 200 as described',
    'resolveEvent: 202 as described',
    'deleteClient: 202 as described',
  ]);
});
