/** What the parent and an engine process say to each other. Bytes of the session go through pipes of their own. */

/** Most bytes of the application data in each direction. */
export interface SessionLimits {
  readonly maxSentData: number;
  readonly maxRecvData: number;
}

/** What a process loads; the first message to it. */
export interface EngineProgram {
  /** Absolute paths. */
  readonly glue: string;
  readonly program: string;
  /** Most memory of the program, in pages of 64 KiB. */
  readonly memoryPages: number;
}

/** What a process is to do. */
export type EngineRole = SessionLimits &
  ({ readonly role: 'verifier' } | { readonly role: 'prover'; readonly serverName: string });

/** Half-open; offsets into one direction. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** The request as the engine takes it. */
export interface EngineRequest {
  /** Origin form. */
  readonly uri: string;
  readonly method: string;
  /** Names in lower case, each once. */
  readonly headers: readonly (readonly [name: string, value: Uint8Array])[];
  /** A JSON value; undefined without a body. */
  readonly body: unknown;
}

/** Application data of a connection. */
export interface EngineTranscript {
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
}

/** What a verifier has established; hidden bytes are zeros. */
export interface EngineOutput {
  readonly serverName: string | undefined;
  /** Unix seconds. */
  readonly time: number;
  readonly sentLength: number;
  readonly receivedLength: number;
  readonly transcript:
    | (EngineTranscript & { readonly sentRanges: readonly Range[]; readonly receivedRanges: readonly Range[] })
    | undefined;
}

/** The calls of an engine process, and what they give. A process serves one session. */
export interface EngineCalls {
  /** Loads the program, which takes about a second. */
  load(program: EngineProgram): null;
  begin(role: EngineRole): null;
  /** Prover: the work that does not depend on the request. */
  setup(): null;
  /** Prover: the request to the server. */
  request(request: EngineRequest): EngineTranscript;
  /** Prover: shows these bytes and the server's identity to the verifier. */
  reveal(ranges: { readonly sent: readonly Range[]; readonly received: readonly Range[] }): null;
  /** Verifier: the whole session. */
  verify(): EngineOutput;
}

export type EngineMethod = keyof EngineCalls;

export interface EngineCall {
  readonly id: number;
  readonly method: EngineMethod;
  readonly argument: unknown;
}

export type EngineAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/** File descriptors of the pipes in an engine process, after the standard three and the channel of these messages. */
export const PIPE = { peer: 4, server: 5 } as const;
