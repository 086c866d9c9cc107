import findMyWay from 'find-my-way';
import { URL_LENGTH_MAX } from './limits.ts';

/** A path of the API, for a request with a method that it does not have. */
export interface KnownPath {
  /** Its pattern, such as `/clients/:client`. */
  readonly url: string;
  /** The methods that it has, for the header `Allow`. */
  readonly allow: string;
  /** The named parts of the path of the request, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

interface Pattern {
  readonly url: string;
  readonly allow: string;
}

/**
 * The paths of a listener. Requests with a method that a path does not have are rare, so the paths are only prepared
 * for a search when the first one comes: routes for all those methods take half of the time that a listener needs to
 * open.
 */
export class KnownPaths {
  readonly #patterns: Pattern[] = [];
  #router: ReturnType<typeof findMyWay> | undefined;

  add(url: string, methods: readonly string[]): void {
    this.#patterns.push({ url, allow: methods.join(', ') });
  }

  /** Matches as the routes themselves do; undefined if no route has this path. */
  find(target: string): KnownPath | undefined {
    this.#router ??= routerOf(this.#patterns);
    const [path = ''] = target.split('?', 1);
    const found = this.#router.find('GET', path);
    return found === null ? undefined : { ...(found.store as Pattern), params: found.params };
  }
}

function routerOf(patterns: readonly Pattern[]): ReturnType<typeof findMyWay> {
  const router = findMyWay({ maxParamLength: URL_LENGTH_MAX });
  for (const pattern of patterns) router.on('GET', pattern.url, () => undefined, pattern);
  return router;
}
