import type { FastifyInstance } from 'fastify';
import type { ApiParts } from '../parts.ts';
import { apiKeyRoutes } from './apikeys.ts';
import { authRoutes } from './auth.ts';
import { coreCheckRoutes } from './checks.ts';
import { entityRoutes } from './entities.ts';
import { coreEventRoutes } from './events.ts';
import { coreFilterRoutes } from './filters.ts';
import { coreHandlerRoutes } from './handlers.ts';
import { coreMutatorRoutes } from './mutators.ts';
import { namespaceRoutes } from './namespaces.ts';
import { coreSilencedRoutes } from './silenced.ts';
import { userRoutes } from './users.ts';
import { coreVersionRoutes } from './version.ts';

/** Everything of the newer API that both listeners serve. */
export function coreRoutes(app: FastifyInstance, parts: ApiParts): void {
  coreVersionRoutes(app);
  authRoutes(app, parts);
  userRoutes(app, parts);
  apiKeyRoutes(app, parts);
  namespaceRoutes(app, parts);
  coreCheckRoutes(app, parts);
  coreHandlerRoutes(app, parts);
  coreFilterRoutes(app, parts);
  coreMutatorRoutes(app, parts);
  entityRoutes(app, parts);
  coreEventRoutes(app, parts);
  coreSilencedRoutes(app, parts);
}
