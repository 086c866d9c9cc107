/** Terminal sizes of the golden screens (console 4.6). */
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 100, rows: 30 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 50 },
] as const;

type Size = Pick<(typeof SIZES)[number], 'columns' | 'rows'>;

/** Themes in which some scenes have an additional golden screen; `styled` screens include colors and other styles. */
export const LOOKS = [
  { look: 'color', theme: { color: true, ascii: false }, styled: true },
  { look: 'mono', theme: { color: false, ascii: false }, styled: true },
  { look: 'ascii', theme: { color: true, ascii: true }, styled: false },
] as const;

/** Matches a terminal escape sequence that sets a foreground or background color. */
export const COLOR = /\u001B\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m/;

/** Sizes for which every scene has a golden screen. For all sizes there would be too many to review. */
const USUAL_SIZES: ReadonlySet<string> = new Set(['80x24', '120x36']);

/** Scenes that have a golden screen in every size, because their layout depends on the size. */
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

/** Scenes that have a golden screen in every theme. Together they contain every color and every symbol. */
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

/** Returns the scenes that have a golden screen in this size. */
export function scenesAt<T extends Scene>(scenes: readonly T[], { columns, rows }: Size): readonly T[] {
  if (USUAL_SIZES.has(`${String(columns)}x${String(rows)}`)) return scenes;
  return scenes.filter((scene) => OF_EVERY_SIZE.has(nameOf(scene)));
}

/** Returns the sizes in which at least one of the scenes has a golden screen. */
export function sizesOf(scenes: readonly Scene[]): readonly Size[] {
  return SIZES.filter((size) => scenesAt(scenes, size).length > 0);
}

/** Returns the scenes that have a golden screen in each theme. */
export function scenesInLooks<T extends Scene>(scenes: readonly T[]): readonly T[] {
  return scenes.filter((scene) => OF_EVERY_LOOK.has(nameOf(scene)));
}

function nameOf(scene: Scene): string {
  return 'view' in scene ? scene.view : scene.name;
}
