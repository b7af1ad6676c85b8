/** Files beside this one, for the engine's processes and threads. They load nothing of the library, which would cost memory in each. */
const HERE = import.meta.url as string | undefined;

/** @throws Error in a CommonJS bundle, which has no such files */
export function fileBeside(name: string): URL {
  if (HERE !== undefined) return new URL(name, HERE);
  throw new Error('Mark `@credence/blind-notary` as external in the bundler: it starts programs of its package.');
}

/** A program: JavaScript in the package, TypeScript in a clone of the repository. */
export function scriptBeside(name: string): URL {
  return fileBeside(`${name}.${HERE?.endsWith('.ts') ? 'ts' : 'js'}`);
}
