/** Options that several commands have. */

/** Of an option that may be repeated. */
export const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];
