import findMyWay from 'find-my-way';
import { URL_LENGTH_MAX } from './limits.ts';

/** A path of the API that does not support the method of the request. */
export interface PathMatch {
  /** The pattern of the path, such as `/clients/:client`. */
  readonly url: string;
  /** The methods that the path supports, as the value of the header `Allow`. */
  readonly allow: string;
  /** The values of the named parts in the path of the request, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

interface Pattern {
  readonly url: string;
  readonly allow: string;
}

/**
 * The paths of a listener and the methods that each path supports. The search index is built at the first request with
 * an unsupported method, because such requests are rare. Routes for all unsupported methods would double the time that
 * it takes to open a listener.
 */
export class RoutePaths {
  readonly #patterns: Pattern[] = [];
  #router: ReturnType<typeof findMyWay> | undefined;

  add(url: string, methods: readonly string[]): void {
    this.#patterns.push({ url, allow: methods.join(', ') });
  }

  /**
   * Returns the path that matches a request target, by the same rules as routes match; undefined if no route has this
   * path.
   */
  find(target: string): PathMatch | undefined {
    this.#router ??= routerOf(this.#patterns);
    const [path = ''] = target.split('?', 1);
    const match = this.#router.find('GET', path);
    return match === null ? undefined : { ...(match.store as Pattern), params: match.params };
  }
}

function routerOf(patterns: readonly Pattern[]): ReturnType<typeof findMyWay> {
  const router = findMyWay({ maxParamLength: URL_LENGTH_MAX });
  for (const pattern of patterns) router.on('GET', pattern.url, () => undefined, pattern);
  return router;
}
