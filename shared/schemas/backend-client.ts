/**
 * Name of the client for the checks that a backend reports about itself. All members of a cluster use this name, so
 * that an open event remains the same event after a failover.
 */
export const BACKEND_CLIENT = 'mon.backend';
