import { isDeepStrictEqual } from 'node:util';
import type { OidcSettings } from '../../../../shared/schemas/oidc.ts';
import type { Clock } from '../../ports.ts';
import { Issuer } from './issuer.ts';

/**
 * Returns a function that returns the identity provider of the current settings; undefined if there is none. A reload
 * that changes the setting takes effect at the next call.
 */
export function issuerOfSettings(
  settingsInForce: () => OidcSettings | undefined,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): () => Issuer | undefined {
  let issuer: Issuer | undefined;
  return () => {
    const settings = settingsInForce();
    if (settings === undefined) return (issuer = undefined);
    if (!isDeepStrictEqual(issuer?.settings, settings)) issuer = new Issuer({ settings, clock });
    return issuer;
  };
}
