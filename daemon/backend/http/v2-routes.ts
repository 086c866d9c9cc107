import type { FastifyInstance } from 'fastify';
import type { ApiParts } from './parts.ts';
import { apiKeyRoutes } from '../access/v2-api-keys.ts';
import { v2AssetRoutes } from '../definitions/v2-assets.ts';
import { authRoutes } from '../access/v2-auth.ts';
import { v2CheckRoutes } from '../checks/v2.ts';
import { clusterRoutes } from '../health/v2-cluster.ts';
import { entityRoutes } from '../clients/v2.ts';
import { v2EventRoutes } from '../events/v2.ts';
import { v2FilterRoutes } from '../definitions/v2-filters.ts';
import { v2HandlerRoutes } from '../definitions/v2-handlers.ts';
import { v2HookRoutes } from '../definitions/v2-hooks.ts';
import { v2MutatorRoutes } from '../definitions/v2-mutators.ts';
import { namespaceRoutes } from '../namespaces/v2.ts';
import { v2SilencedRoutes } from '../silences/v2.ts';
import { roleRoutes } from '../access/v2-roles.ts';
import { tessenRoutes } from '../health/v2-tessen.ts';
import { userRoutes } from '../access/v2-users.ts';
import { v2VersionRoutes } from '../health/v2-version.ts';

/** Everything of the newer API that both listeners serve. */
export function v2Routes(app: FastifyInstance, parts: ApiParts): void {
  v2VersionRoutes(app);
  authRoutes(app, parts);
  userRoutes(app, parts);
  apiKeyRoutes(app, parts);
  namespaceRoutes(app, parts);
  v2CheckRoutes(app, parts);
  v2HandlerRoutes(app, parts);
  v2FilterRoutes(app, parts);
  v2MutatorRoutes(app, parts);
  v2HookRoutes(app, parts);
  v2AssetRoutes(app, parts);
  entityRoutes(app, parts);
  v2EventRoutes(app, parts);
  v2SilencedRoutes(app, parts);
  roleRoutes(app, parts);
  tessenRoutes(app);
  clusterRoutes(app, parts);
}
