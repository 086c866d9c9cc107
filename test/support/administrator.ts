import { findLocalAccess, runtimeDirectory } from '../../shared/client/local-access.ts';
import type { LocalDirectories } from '../../daemon/backend/access/local-access.ts';

/**
 * Returns where a test backend stores its token, for clients in this process and for programs that it starts.
 */
export function placesOf(stateDir: string): LocalDirectories {
  return { stateDir, runtimeDir: runtimeDirectory() };
}

/** Returns the environment variables by which other programs find the backends of tests. */
export function placesEnv(): { readonly XDG_RUNTIME_DIR: string } {
  return { XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] ?? '' };
}

/**
 * Returns the header that makes a request to this backend an administrator's; empty if the backend has stored
 * no token.
 */
export function administratorOf(url: string): { readonly authorization?: string } {
  const access = findLocalAccess(new URL(url).origin);
  return access === undefined ? {} : { authorization: `Bearer ${access.token}` };
}
