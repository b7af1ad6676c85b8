/** A thread of the engine: spawns its other threads, or works for them. */
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { installBrowserGlobals } from './browser-globals.ts';
import type { EngineModule } from './engine-module.ts';

interface Start {
  readonly type: 'web_spawn_start_spawner' | 'web_spawn_start_worker';
  readonly data: readonly [module: WebAssembly.Module, memory: WebAssembly.Memory, pointer: number];
}

const glue: string = workerData;
installBrowserGlobals(glue);
const engine: EngineModule = await import(pathToFileURL(glue).href);

// `on`, not `once`: the listener keeps this thread alive while it waits for others, which `Atomics.waitAsync` does not.
parentPort?.on('message', async ({ type, data: [module, memory, pointer] }: Start) => {
  const exports = engine.initSync({ module, memory });
  if (type === 'web_spawn_start_worker') {
    engine.web_spawn_start_worker(pointer);
  } else {
    const spawner = engine.web_spawn_recover_spawner(pointer);
    parentPort?.postMessage('web_spawn_spawner_ready');
    await spawner.run('');
  }
  exports.__wbindgen_thread_destroy();
  // Ends this thread only.
  process.exit(0);
});
