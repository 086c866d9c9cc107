/**
 * Rights of a caller (security S3): each route requires one of these scopes.
 *
 * - `read`: all displayed data, redacted
 * - `submit`: results, clients, entities and events, also over an agent connection
 * - `silence`: silences
 * - `resolve`: resolving and deleting events and results, requesting runs, dead letters
 * - `admin`: everything, including users, keys, definitions and secrets
 */
export const SCOPES = ['read', 'submit', 'silence', 'resolve', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
