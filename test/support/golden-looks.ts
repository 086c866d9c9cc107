/** Terminal sizes of golden screens (console 4.6). */
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 100, rows: 30 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 50 },
] as const;

type Size = Pick<(typeof SIZES)[number], 'columns' | 'rows'>;

/** Additional looks of some golden screens. */
export const LOOKS = [
  { look: 'color', theme: { color: true, ascii: false }, styled: true },
  { look: 'mono', theme: { color: false, ascii: false }, styled: true },
  { look: 'ascii', theme: { color: true, ascii: true }, styled: false },
] as const;

/** Foreground and background colors, in all their forms. */
export const COLOR = /\u001B\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m/;

/** Sizes in which every scene has a golden screen; more would be too many for a review. */
const USUAL_SIZES: ReadonlySet<string> = new Set(['80x24', '120x36']);

/** Scenes with a layout that depends on the size: lists, boxes, panes, dialogs, a plan. */
const OF_EVERY_SIZE: ReadonlySet<string> = new Set([
  'events',
  'detail',
  'overview',
  'silence',
  'silences',
  'clients',
  'help',
  'upgrade-plan',
]);

/** Scenes that together contain every color and every symbol. */
const OF_EVERY_LOOK: ReadonlySet<string> = new Set([
  'events',
  'detail',
  'filter-problem',
  'silence',
  'silences',
  'help',
  'disconnected',
  'clients',
  'client',
  'dead-letters',
  'upgrade-plan',
]);

type Scene = { readonly view: string } | { readonly name: string };

/** Returns the scenes that have a golden screen of this size. */
export function scenesAt<T extends Scene>(scenes: readonly T[], { columns, rows }: Size): readonly T[] {
  if (USUAL_SIZES.has(`${String(columns)}x${String(rows)}`)) return scenes;
  return scenes.filter((scene) => OF_EVERY_SIZE.has(nameOf(scene)));
}

/** Returns the sizes for which any of the scenes has a golden screen. */
export function sizesOf(scenes: readonly Scene[]): readonly Size[] {
  return SIZES.filter((size) => scenesAt(scenes, size).length > 0);
}

/** Returns the scenes that have a golden screen of each look. */
export function scenesInLooks<T extends Scene>(scenes: readonly T[]): readonly T[] {
  return scenes.filter((scene) => OF_EVERY_LOOK.has(nameOf(scene)));
}

function nameOf(scene: Scene): string {
  return 'view' in scene ? scene.view : scene.name;
}
