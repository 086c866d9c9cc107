/**
 * The client of the checks by which a backend reports about itself. Its name is the same for all members of a
 * cluster, so an event stays open, and is the same one, when another member takes over.
 */
export const BACKEND_CLIENT = 'mon.backend';
