/**
 * What somebody may do (security S3): each route names one of these.
 *
 * - `read`: everything that is shown, redacted
 * - `submit`: results, clients, entities and events, also over an agent's connection
 * - `silence`: silenced entries
 * - `resolve`: resolving and deleting events and results, asking for a run, dead letters
 * - `admin`: everything, also users, keys, definitions and secrets
 */
export const SCOPES = ['read', 'submit', 'silence', 'resolve', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
