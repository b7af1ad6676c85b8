/**
 * URL of a file of the package, relative to a module of it. Call it only when the file is needed. Bundlers try to resolve the
 * text in `new URL('name', import.meta.url)`, which they cannot see in a call of this function.
 * @param module `import.meta.url` of the module, which a CommonJS bundle does not have
 * @throws Error that says what to do if there is none
 */
export function fileBeside(module: string | undefined, name: string): URL {
  if (module === undefined) {
    throw new Error(
      'Credence needs a file of its package, which a bundle does not have. Mark `credence` as external in the bundler.',
    );
  }
  return new URL(name, module);
}

/** URL of a program beside a module: JavaScript in the compiled package, TypeScript in a checkout. @throws like `fileBeside` */
export function scriptBeside(module: string | undefined, name: string): URL {
  return fileBeside(module, `${name}.${module?.endsWith('.ts') ? 'ts' : 'js'}`);
}
