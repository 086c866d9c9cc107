/**
 * The client of the checks by which a backend reports about itself. All members of a cluster use the same name, so that
 * an event stays open as the same event after a failover.
 */
export const BACKEND_CLIENT = 'mon.backend';
