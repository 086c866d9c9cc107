import type { FastifyInstance } from 'fastify';
import type { ApiParts } from '../parts.ts';
import { apiKeyRoutes } from './apikeys.ts';
import { coreAssetRoutes } from './assets.ts';
import { authRoutes } from './auth.ts';
import { coreCheckRoutes } from './checks.ts';
import { clusterRoutes } from './cluster.ts';
import { entityRoutes } from './entities.ts';
import { coreEventRoutes } from './events.ts';
import { coreFilterRoutes } from './filters.ts';
import { coreHandlerRoutes } from './handlers.ts';
import { coreHookRoutes } from './hooks.ts';
import { coreMutatorRoutes } from './mutators.ts';
import { namespaceRoutes } from './namespaces.ts';
import { coreSilencedRoutes } from './silenced.ts';
import { roleRoutes } from './roles.ts';
import { tessenRoutes } from './tessen.ts';
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
  coreHookRoutes(app, parts);
  coreAssetRoutes(app, parts);
  entityRoutes(app, parts);
  coreEventRoutes(app, parts);
  coreSilencedRoutes(app, parts);
  roleRoutes(app, parts);
  tessenRoutes(app);
  clusterRoutes(app, parts);
}
