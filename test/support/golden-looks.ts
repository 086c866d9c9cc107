/** The sizes of which each view and dialog has a golden screen (console 4.6). */
export const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 100, rows: 30 },
  { columns: 120, rows: 36 },
  { columns: 200, rows: 50 },
] as const;

/** How each is drawn besides. */
export const LOOKS = [
  { look: 'color', theme: { color: true, ascii: false }, styled: true },
  { look: 'mono', theme: { color: false, ascii: false }, styled: true },
  { look: 'ascii', theme: { color: true, ascii: true }, styled: false },
] as const;

/** Foreground and background colors, in all their forms. */
export const COLOR = /\u001B\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m/;
