/** The words of a text, where a list would take a line for each. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
