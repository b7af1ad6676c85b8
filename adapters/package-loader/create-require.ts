import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// An import of node:module would let bundlers follow `require`.
export const { createRequire } = process.getBuiltinModule('node:module');

/** From where packages are looked for. In a CommonJS bundle there is no `import.meta.url`. */
export const HERE = import.meta.url ?? pathToFileURL(resolve('index.js'));
