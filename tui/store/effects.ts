import type { SubmittedSilenced } from '../../shared/schemas/silenced.ts';
import type { Target } from './silence-form.ts';
import type { LoadedView } from './views/view-data.ts';

/** What a key asks of the world outside the store. The store itself touches nothing. */
export type Effect =
  | { readonly kind: 'silence'; readonly entries: readonly SubmittedSilenced[] }
  | { readonly kind: 'clear-silenced'; readonly ids: readonly string[] }
  | { readonly kind: 'resolve'; readonly targets: readonly Target[] }
  | { readonly kind: 'load-event'; readonly target: Target; readonly into: 'detail' | 'pane' }
  | { readonly kind: 'load-view'; readonly view: LoadedView }
  | { readonly kind: 'reconnect' | 'resync' | 'repaint' | 'quit' };
