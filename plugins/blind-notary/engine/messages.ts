/** What the parent and an engine process say to each other. Bytes of the session go through pipes of their own. */
import type { MpcLimits, MpcOutput, MpcRequest, MpcReveal, MpcTranscript } from '../mpc-tls.ts';

/** What a process loads, and what it is to do; the first message to it. */
export interface EngineTask {
  /** Absolute paths. */
  readonly glue: string;
  readonly program: string;
  /** Most memory of the program, in pages of 64 KiB. */
  readonly memoryPages: number;
  readonly role: 'prover' | 'verifier';
  readonly limits: MpcLimits;
  /** Of a prover. */
  readonly serverName?: string;
}

/** The calls of an engine process, and what they give. A process serves one session. */
export interface EngineCalls {
  /** Loads the program, which takes about a second. */
  begin(task: EngineTask): null;
  /** Prover: the work that does not depend on the request. */
  setup(): null;
  /** Prover: the request to the server. */
  request(request: MpcRequest): MpcTranscript;
  /** Prover: shows these bytes and the server's identity to the verifier. */
  reveal(ranges: MpcReveal): null;
  /** Verifier: the whole session. */
  verify(): MpcOutput;
}

export type EngineMethod = keyof EngineCalls;

export interface EngineCall {
  readonly method: EngineMethod;
  readonly argument: unknown;
}

export type EngineAnswer = { readonly result: unknown } | { readonly error: string };

/** File descriptors of the pipes in an engine process, after the standard three and the channel of these messages. */
export const PIPE = { peer: 4, server: 5 } as const;
