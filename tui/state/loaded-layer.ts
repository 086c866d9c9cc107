import type { EventExplanation, StoredDeadLetter } from '../../shared/api/answers.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import { NO_SEARCH, type SearchField } from '../form/search-field.ts';
import { NOT_LOADED, type ViewLoad } from '../model/view-data.ts';
import type { Screen } from './ports.ts';
import type { Known } from '../model/known.ts';

/** What a layer asks the backend for as long as it is on top, by the kind of the layer. */
export interface LayerData {
  /** A run of a handler that failed for good, with its event as the handler would get it, without secrets. */
  readonly 'dead-letter': StoredDeadLetter & { readonly event: Readonly<Record<string, unknown>> };
  /** What becomes of an event at each handler, and why. */
  readonly handling: EventExplanation;
  /** What the feed does not tell of a silence. */
  readonly 'silence-entry': SilencedDetail;
}

export type LoadedLayerKind = keyof LayerData;

/** Something on a screen of its own that is read from top to bottom. */
export interface LoadedLayerOf<Kind extends LoadedLayerKind> {
  readonly kind: Kind;
  /** Of the dead letter or the silence; of an event its key. */
  readonly id: string;
  readonly load: ViewLoad<LayerData[Kind]>;
  /** First line of the body that is shown. */
  readonly top: number;
  readonly search: SearchField;
}

export type DeadLetterLayer = LoadedLayerOf<'dead-letter'>;
export type HandlingLayer = LoadedLayerOf<'handling'>;
export type SilenceEntryLayer = LoadedLayerOf<'silence-entry'>;
export type LoadedLayer = DeadLetterLayer | HandlingLayer | SilenceEntryLayer;

/** How often each is asked for again: what nothing but its end changes, less often. */
const LAYER_RELOAD_MS: Readonly<Record<LoadedLayerKind, number>> = {
  'dead-letter': 5000,
  handling: 2000,
  'silence-entry': 5000,
};

const KINDS: ReadonlySet<string> = new Set(Object.keys(LAYER_RELOAD_MS));

export function isLoadedLayer(layer: { readonly kind: string } | undefined): layer is LoadedLayer {
  return layer !== undefined && KINDS.has(layer.kind);
}

/** Puts it on top; it is loaded with the next frame. */
export function openLoadedLayer(store: Screen, kind: LoadedLayerKind, id: string): void {
  const layer: LoadedLayer = { kind, id, load: NOT_LOADED, top: 0, search: NO_SEARCH };
  store.update({ layers: [...store.state.layers, layer] });
}

/** Whether to ask for what the layer is about now: never twice at the same time. */
export function isLayerDue({ silenced }: Pick<Known, 'silenced'>, layer: LoadedLayer, nowMs: number): boolean {
  const { isLoading, askedAtMs } = layer.load;
  // A silence that ended is in the trail and on this console, and nowhere else.
  if (layer.kind === 'silence-entry' && !silenced.has(layer.id)) return false;
  return !isLoading && nowMs - askedAtMs >= LAYER_RELOAD_MS[layer.kind];
}

/** Puts another layer in place of the one on top. */
export function putLayer(store: Screen, layer: LoadedLayer): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), layer] });
}
