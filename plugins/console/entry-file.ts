/** Names the built files that the page itself loads. */
export const ENTRY_FILE = 'entry.json';
