import type { ByteChannel, MpcOutput, MpcProver, MpcVerifier } from '../mpc-tls.ts';
import type { EngineHandle } from './engine-handle.ts';
import { EnginePool } from './engine-pool.ts';
import type { EngineOutput } from './messages.ts';
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
  /** Processes that have loaded the program before a session needs one. @default 0 */
  readonly ready?: number;
}

/**
 * TLSNotary's verifier, one process for each session.
 * @param files the engine; stock provers need another one
 */
export function createMpcVerifier(options: EngineOptions, files: () => EngineFiles = engineFiles): MpcVerifier {
  const pool = poolOf(options, files);
  return {
    async open(limits) {
      const handle = await pool.take({ role: 'verifier', ...limits });
      return {
        verify: async (channel) => toOutput(await during(channel, handle.peer, handle.call('verify'))),
        close: () => pool.end(handle),
      };
    },
    get ready() {
      return pool.ready;
    },
    close: () => pool.close(),
  };
}

/** TLSNotary's prover, one process for each session. */
export function createMpcProver(options: EngineOptions, files: () => EngineFiles = engineFiles): MpcProver {
  const pool = poolOf(options, files);
  return {
    async open(serverName, limits) {
      const handle = await pool.take({ role: 'prover', serverName, ...limits });
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
        async request({ target, method, headers, body }, server) {
          const bytes = headers.map(([name, value]) => [name, new TextEncoder().encode(value)] as const);
          const call = handle.call('request', { uri: target, method, headers: bytes, body });
          const { sent, received } = await step(during(server, handle.server, call));
          return { sent: Uint8Array.from(sent), received: Uint8Array.from(received) };
        },
        async reveal(ranges) {
          await step(handle.call('reveal', ranges));
        },
        close: () => pool.end(handle),
      };
    },
    close: () => pool.close(),
  };
}

function poolOf({ memoryMiB, ready = 0 }: EngineOptions, files: () => EngineFiles): EnginePool {
  return new EnginePool(() => ({ ...files(), memoryPages: (memoryMiB - THREADS_MIB) * PAGES_PER_MIB }), ready);
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

function toOutput({ serverName, time, sentLength, receivedLength, transcript }: EngineOutput): MpcOutput {
  return {
    serverName: serverName ?? null,
    time,
    sent: {
      bytes: Uint8Array.from(transcript?.sent ?? new Uint8Array(sentLength)),
      revealed: transcript?.sentRanges ?? [],
    },
    received: {
      bytes: Uint8Array.from(transcript?.received ?? new Uint8Array(receivedLength)),
      revealed: transcript?.receivedRanges ?? [],
    },
  };
}
