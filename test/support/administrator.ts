import { findLocalAccess, runtimeDirectory } from '../../shared/client/local-access.ts';
import type { LocalDirectories } from '../../daemon/backend/access/local-access.ts';

/**
 * Returns the directories in which a test backend stores its local access token, where this process and its child
 * processes find it.
 */
export function placesOf(stateDir: string): LocalDirectories {
  return { stateDir, runtimeDir: runtimeDirectory() };
}

/** Returns the environment variables with which other programs find the access tokens of test backends. */
export function placesEnv(): { readonly XDG_RUNTIME_DIR: string } {
  return { XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] ?? '' };
}

/**
 * Returns the request header with the local administrator token of this backend; an empty object if the backend has
 * stored no token.
 */
export function administratorOf(url: string): { readonly authorization?: string } {
  const access = findLocalAccess(new URL(url).origin);
  return access === undefined ? {} : { authorization: `Bearer ${access.token}` };
}
