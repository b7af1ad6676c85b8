/** What the engine expects of a browser's worker and Node.js lacks. It is built for browsers only. */
import { createRequire } from 'node:module';
import { EngineThread } from './engine-thread.ts';

/**
 * @param glue path of the engine's JavaScript
 * @param script of the threads that the engine starts from here
 * @param more further globals, for example `WebSocket`
 */
export function installBrowserGlobals(glue: string, script: URL, more: Readonly<Record<string, unknown>> = {}): void {
  class Worker extends EngineThread {
    constructor() {
      super(script, glue);
    }
  }
  Object.assign(globalThis, {
    self: globalThis,
    Worker,
    // Its random source notices Node.js and asks for `module.require('crypto')`.
    module: { require: createRequire(import.meta.url) },
    addEventListener: () => {},
    removeEventListener: () => {},
    ...more,
  });
}
