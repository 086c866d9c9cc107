/**
 * Rights of a caller (security S3). Each route requires one of these scopes.
 *
 * - `read`: read all displayed data, without secrets
 * - `submit`: submit results, clients, entities and events, also over an agent connection
 * - `silence`: change silences
 * - `resolve`: resolve and delete events and results, request runs of checks, retry and drop dead letters
 * - `admin`: everything, including users, keys, definitions and secrets
 */
export const SCOPES = ['read', 'submit', 'silence', 'resolve', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
