import type { Layer } from './layers/layer.ts';

/** An object whose screen the user has opened. The name of an event or result is its key, that of a silence its id. */
export interface VisitedObject {
  readonly kind: 'event' | 'result' | 'client' | 'check' | 'aggregate' | 'silence';
  readonly name: string;
}

/** Maximum number of visited objects that the console remembers. */
const VISITED_MAX = 10;

/** Returns the visited objects after a layer was opened, the last visited first. */
export function addVisited(visited: readonly VisitedObject[], layer: Layer): readonly VisitedObject[] {
  const object = objectOf(layer);
  if (object === undefined) return visited;
  const others = visited.filter(({ kind, name }) => kind !== object.kind || name !== object.name);
  return [object, ...others].slice(0, VISITED_MAX);
}

function objectOf(layer: Layer): VisitedObject | undefined {
  switch (layer.kind) {
    case 'detail':
      return { kind: 'event', name: layer.target.key };
    case 'inspect':
      return layer.subject;
    case 'silence-entry':
      return { kind: 'silence', name: layer.id };
    default:
      return undefined;
  }
}
