/**
 * Does one piece of the engine's work in a thread, and ends. A session runs more than 30 of them, so what one holds counts as often.
 * It is JavaScript, since Node.js would load a compiler for TypeScript into each.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const glue = workerData;
// What `installBrowserGlobals` sets, without what starts threads.
Object.assign(globalThis, {
  self: globalThis,
  module: { require: createRequire(import.meta.url) },
  addEventListener: () => {},
});
const engine = await import(pathToFileURL(glue).href);

parentPort?.once('message', ({ data: [module, memory, pointer] }) => {
  const exports = engine.initSync({ module, memory });
  // It blocks its thread from now on, so no later collection would give back what starting it took.
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
  engine.web_spawn_start_worker(pointer);
  exports.__wbindgen_thread_destroy();
  // Ends this thread only.
  process.exit(0);
});
