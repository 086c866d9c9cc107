import { COMPATIBLE_V2_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { OnV2 } from '../http/route.ts';

/**
 * `GET /version`, open to everybody as at the peer: the level of version 2, which clients compare, and our own version
 * (completion, Versions). There is no etcd here; its keys stay because clients expect texts there.
 */
export const VERSIONS_ON_V2: OnV2<'versions'> = {
  version: () => ({
    etcd: { etcdserver: '', etcdcluster: '' },
    sensu_backend: COMPATIBLE_V2_VERSION,
    mon: { version: VERSION },
  }),
};
