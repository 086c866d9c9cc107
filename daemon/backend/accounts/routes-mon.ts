import { SCOPES } from '../../../shared/schemas/scope.ts';
import { hasScope } from '../access/principal.ts';
import type { MonHandlers, RouteAccess } from '../http/route.ts';

/** Serves the identity and rights of the caller, and the access that each route requires. */
export function accessOnMon(table: readonly RouteAccess[]): MonHandlers<'access'> {
  return {
    access: ({ principal }) => ({
      name: principal.name,
      via: principal.via,
      scopes: SCOPES.filter((scope) => hasScope(principal, scope)),
      namespace: principal.namespace ?? null,
      key: principal.keyId ?? null,
      expires_at: principal.expiresMs === undefined ? null : Math.floor(principal.expiresMs / 1000),
      routes: table,
    }),
  };
}
