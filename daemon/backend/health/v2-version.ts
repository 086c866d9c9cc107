import { COMPATIBLE_V2_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { OnV2 } from '../http/route.ts';

/**
 * `GET /version`, open to all callers as in Sensu Go: the v2 API level, which clients compare, and our own version
 * (completion, Versions). There is no etcd; its keys stay because clients expect strings there.
 */
export const VERSIONS_ON_V2: OnV2<'versions'> = {
  version: () => ({
    etcd: { etcdserver: '', etcdcluster: '' },
    sensu_backend: COMPATIBLE_V2_VERSION,
    mon: { version: VERSION },
  }),
};
