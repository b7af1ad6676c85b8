/** What is used of WebAssembly, whose types come with those of browsers only. */
declare namespace WebAssembly {
  class Module {
    /** Throws if `bytes` are no program. */
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(pages: { readonly initial: number; readonly maximum: number; readonly shared: boolean });
    readonly buffer: SharedArrayBuffer;
  }
}
