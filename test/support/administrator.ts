import { findLocalAccess, runtimeDirectory } from '../../shared/client/local-access.ts';
import type { LocalPlaces } from '../../daemon/backend/access/local-access.ts';

/** Where a backend of a test leaves its token: for the clients in this process, and for programs that it starts. */
export function placesOf(stateDir: string): LocalPlaces {
  return { stateDir, runtimeDir: runtimeDirectory() };
}

/** For programs with an environment of their own: where they find the backends of tests. */
export function placesEnv(): { readonly XDG_RUNTIME_DIR: string } {
  return { XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] ?? '' };
}

/** The header that makes an administrator of whoever asks this backend; none when it has left no token. */
export function administratorOf(url: string): { readonly authorization?: string } {
  const access = findLocalAccess(new URL(url).origin);
  return access === undefined ? {} : { authorization: `Bearer ${access.token}` };
}
