import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createMpcVerifier } from '../../../../plugins/blind-notary/engine/engine.ts';
import { EngineError } from '../../../../plugins/blind-notary/engine/engine-handle.ts';
import { engineFiles } from '../../../../plugins/blind-notary/engine/package-files.ts';
import { relay } from '../../../../plugins/blind-notary/engine/relay.ts';
import type { ByteChannel } from '../../../../plugins/blind-notary/mpc-tls.ts';

const LIMITS = { maxSentData: 256, maxRecvData: 512 };
const folder = mkdtempSync(join(tmpdir(), 'credence-engine-'));

/** What an engine that starts no threads gives for its memory. */
const NO_THREADS = 'export const initSync = () => {};';

/** An engine that is a script: what it does in the place of loading the program. */
function engineThat(does: string, threads = NO_THREADS) {
  const glue = join(folder, `${does.length}-${threads.length}.mjs`);
  writeFileSync(
    glue,
    `export const initialize = async () => {};
     export class Verifier { async connect() {} async verify() { ${does} } }
     ${threads}`,
  );
  return createMpcVerifier({ memoryMiB: 1_024 }, () => ({ glue, program: glue }));
}

/** An engine whose spawner starts one thread with this pointer; with 0 the thread throws. */
function engineWithThread(pointer: number) {
  return engineThat(
    `const memory = new Int32Array(new SharedArrayBuffer(4));
     new Worker('').postMessage({ type: 'web_spawn_start_spawner', data: [null, memory, ${pointer}] });
     await Atomics.waitAsync(memory, 0, 0).value;
     throw new Error('a thread was given ' + memory[0]);`,
    `let memory;
     export const initSync = (options) => { memory = options?.memory; return { __wbindgen_thread_destroy() {} }; };
     export const web_spawn_recover_spawner = (pointer) => ({
       async run() {
         new Worker('').postMessage({ type: 'web_spawn_start_worker', data: [null, memory, pointer] });
         await new Promise(() => {});
       },
     });
     export const web_spawn_start_worker = (pointer) => {
       if (pointer === 0) throw new Error('dies');
       memory[0] = pointer;
       Atomics.notify(memory, 0);
     };`,
  );
}

const silent: ByteChannel = {
  incoming: (async function* () {
    await new Promise(() => {});
  })(),
  send: async () => {},
  end: async () => {},
};

describe('the process of an MPC session', () => {
  it('that ends by itself fails the session', async () => {
    const engine = engineThat('process.exit(7)');
    const session = await engine.open(LIMITS);
    await expect(session.verify(silent)).rejects.toThrow('The MPC engine ended unexpectedly (code 7).');
    await engine.close();
  });

  it('that hangs ends with its session, and sees no variable of ours', async () => {
    const engine = engineThat('if (process.env.PATH === undefined) return new Promise(() => {})');
    const session = await engine.open(LIMITS);
    const verified = session.verify(silent);
    const ended = expect(verified).rejects.toThrow('The MPC session was ended.');
    await session.close();
    await ended;
    await session.close();
    await engine.close();
    await expect(engine.open(LIMITS)).rejects.toThrow('closed');
  });

  it('passes on what the engine refuses', async () => {
    const engine = engineThat("return Promise.reject(new Error('no such thing'))");
    const session = await engine.open(LIMITS);
    await expect(session.verify(silent)).rejects.toThrow(new EngineError('no such thing'));
    await engine.close();
  });

  it('starts a thread that starts others, and ends with one that dies', async () => {
    const working = await engineWithThread(7).open(LIMITS);
    await expect(working.verify(silent)).rejects.toThrow('a thread was given 7');
    await working.close();
    const dying = await engineWithThread(0).open(LIMITS);
    await expect(dying.verify(silent)).rejects.toThrow('The MPC engine ended unexpectedly (code 1).');
  });

  it('is not started if the program cannot be loaded', async () => {
    const files = { glue: join(folder, 'nothing.mjs'), program: folder };
    const engine = createMpcVerifier({ memoryMiB: 1_024 }, () => files);
    await expect(engine.open(LIMITS)).rejects.toThrow(EngineError);
  });
});

describe('the package of the engine', () => {
  it('is the pinned build', () => {
    expect(engineFiles().program).toMatch(/tlsn_wasm_bg\.wasm$/);
  });
});

it('the relay of a session ends a side that sends more than it may', async () => {
  const pipe = new PassThrough();
  const flood: ByteChannel = {
    ...silent,
    incoming: (async function* () {
      for (;;) yield new Uint8Array(400);
    })(),
  };
  await expect(relay(flood, pipe, 1_000)).rejects.toThrow('A session sends at most 1000 bytes in each direction.');
});
