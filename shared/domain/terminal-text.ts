/** Text from outside, made harmless for a terminal; lines stay lines. */
export declare function safeText(text: string): string;
/** Text from outside, made harmless for a terminal, in one line. */
export declare function safeLine(text: string): string;
