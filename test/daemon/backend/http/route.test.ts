import fastify from 'fastify';
import { expect, test } from 'vitest';
import { requireDeclaredAccess } from '../../../../daemon/backend/http/route.ts';

test('a route that does not declare the rights that it needs stops the start', () => {
  const app = fastify();
  requireDeclaredAccess(app);
  expect(() => app.get('/open', () => 'to everybody')).toThrow('GET /open declares no required rights');
  expect(() => app.get('/read', { config: { access: 'read' } }, () => 'to some')).not.toThrow();
});
