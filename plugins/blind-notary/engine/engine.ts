import type { ByteChannel, MpcProver, MpcVerifier } from '../mpc-tls.ts';
import { EngineHandle } from './engine-handle.ts';
import type { EngineTask } from './messages.ts';
import { type EngineFiles, engineFiles } from './package-files.ts';
import { relay } from './relay.ts';

const PAGES_PER_MIB = 16;
/** What a process takes besides its program's memory, without the code that processes share: its threads, mostly. */
const THREADS_MIB = 256;
/** A session with the largest limits sends 38 MiB one way. */
const MAX_CARRIED_BYTES = 128 * 1024 * 1024;

/** How much the engine takes. */
export interface EngineOptions {
  /** Most memory of one session's process. A session that needs more fails. */
  readonly memoryMiB: number;
}

/**
 * TLSNotary's verifier, one process for each session.
 * @param files the engine; stock provers need another one
 */
export function createMpcVerifier(options: EngineOptions, files: () => EngineFiles = engineFiles): MpcVerifier {
  const engines = createEngines(options, files);
  return {
    async open(limits) {
      const handle = await engines.begin({ role: 'verifier', limits });
      return {
        verify: (channel) => during(channel, handle.peer, handle.call('verify')),
        close: () => engines.end(handle),
      };
    },
    close: engines.close,
  };
}

/** TLSNotary's prover, one process for each session. */
export function createMpcProver(options: EngineOptions, files: () => EngineFiles = engineFiles): MpcProver {
  const engines = createEngines(options, files);
  return {
    async open(serverName, limits) {
      const handle = await engines.begin({ role: 'prover', serverName, limits });
      const broken = Promise.withResolvers<never>();
      const failed = Promise.race([handle.failed, broken.promise]);
      failed.catch(() => {});
      const step = <T>(call: Promise<T>): Promise<T> => Promise.race([call, failed]);
      return {
        failed,
        async setup(verifier) {
          failureOf(relay(verifier, handle.peer, MAX_CARRIED_BYTES)).catch(broken.reject);
          await step(handle.call('setup'));
        },
        request: (request, server) => step(during(server, handle.server, handle.call('request', request))),
        async reveal(ranges) {
          await step(handle.call('reveal', ranges));
        },
        close: () => engines.end(handle),
      };
    },
    close: engines.close,
  };
}

/** Starts engine processes, and ends them. */
function createEngines({ memoryMiB }: EngineOptions, files: () => EngineFiles) {
  const running = new Set<EngineHandle>();
  let isClosed = false;
  async function end(handle: EngineHandle): Promise<void> {
    running.delete(handle);
    await handle.end();
  }
  return {
    /** A process that serves one session. @throws EngineError if the program cannot be loaded, UnknownEngineError */
    async begin(task: Pick<EngineTask, 'role' | 'limits' | 'serverName'>): Promise<EngineHandle> {
      if (isClosed) throw new Error('The MPC engine is closed.');
      const found = files();
      const handle = new EngineHandle();
      running.add(handle);
      try {
        await handle.call('begin', { ...task, ...found, memoryPages: (memoryMiB - THREADS_MIB) * PAGES_PER_MIB });
        return handle;
      } catch (error) {
        await end(handle);
        throw error;
      }
    },
    end,
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all([...running].map(end));
    },
  };
}

/** What the call gives, while bytes are carried between channel and pipe. */
function during<T>(channel: ByteChannel, pipe: EngineHandle['peer'], call: Promise<T>): Promise<T> {
  return Promise.race([call, failureOf(relay(channel, pipe, MAX_CARRIED_BYTES))]);
}

/** Rejects as the work does, and otherwise never settles. */
function failureOf(work: Promise<unknown>): Promise<never> {
  const failure = work.then(() => new Promise<never>(() => {}));
  // It may fail when nobody waits any more: the session is over then.
  failure.catch(() => {});
  return failure;
}
