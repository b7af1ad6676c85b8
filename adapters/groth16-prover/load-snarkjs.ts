/** Loads snarkjs, an optional package. A missing one and a broken one are different errors with different fixes. */

export type LoadedSnarkjs =
  | { readonly snarkjs: typeof import('snarkjs') }
  /** `broken`: installed, but it or something that it needs cannot be loaded. */
  | { readonly failure: 'missing' | 'broken'; readonly message: string };

/** Loads it; never rejects. The message is the first line of the one from Node.js. */
export async function loadSnarkjs(): Promise<LoadedSnarkjs> {
  try {
    // Bundlers leave it alone: a build without snarkjs is whole.
    const name: string = 'snarkjs';
    return { snarkjs: await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name) };
  } catch (error) {
    const message = firstLine(error);
    return { failure: isMissing(error, message) ? 'missing' : 'broken', message };
  }
}

/** The code alone does not tell: something that snarkjs needs is missing with the same one. */
function isMissing(error: unknown, message: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' && message.startsWith("Cannot find package 'snarkjs' ");
}

const MAX_MESSAGE = 500;

/** The first line of an error's message, of bounded length. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n', 1)[0] ?? '').slice(0, MAX_MESSAGE);
}
