/** The thread that starts the engine's other threads, since a thread that blocks cannot start one. */
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { installBrowserGlobals } from './browser-globals.ts';
import { WORKER_SCRIPT } from './engine-thread.ts';

interface Start {
  readonly data: readonly [module: WebAssembly.Module, memory: WebAssembly.Memory, pointer: number];
}

const glue: string = workerData;
installBrowserGlobals(glue, WORKER_SCRIPT);
const engine: typeof import('@csfloat/tlsn-wasm') = await import(pathToFileURL(glue).href);

// `on`, not `once`: the listener keeps this thread alive while it waits for others, which `Atomics.waitAsync` does not.
parentPort?.on('message', async ({ data: [module, memory, pointer] }: Start) => {
  const exports = engine.initSync({ module, memory });
  const spawner = engine.web_spawn_recover_spawner(pointer);
  parentPort?.postMessage('web_spawn_spawner_ready');
  await spawner.run('');
  exports.__wbindgen_thread_destroy();
  // Ends this thread only.
  process.exit(0);
});
