/** What is used of circom2, which comes without types. */
declare module 'circom2' {
  export const bindings: object;
  /** The compiler. `args` are those of its command line; it sees the directories of `preopens` only. */
  export class CircomRunner {
    constructor(options: {
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly preopens: Readonly<Record<string, string>>;
      readonly bindings: object;
    });
    /** What makes a module of what `execute` gets. */
    compile: (program: Promise<WebAssembly.Module>) => Promise<WebAssembly.Module>;
    /** Runs the compiler once. Rejects if it ends with an error. */
    execute(program: Promise<WebAssembly.Module>): Promise<unknown>;
  }
}
