/**
 * The process of one session's prover or verifier. The program's memory never shrinks, a failed instance is unusable, and some
 * failures leave it waiting forever. Only the end of a process frees everything, so each session has its own. It reads no
 * environment and opens no connection.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Prover, Verifier } from '@csfloat/tlsn-wasm';
import type { ByteRange } from '../mpc-tls.ts';
import { installBrowserGlobals } from './browser-globals.ts';
import { SPAWNER_SCRIPT } from './engine-thread.ts';
import { type EngineAnswer, type EngineCall, type EngineCalls, type EngineTask, PIPE } from './messages.ts';
import { createPipeWebSocket } from './pipe-web-socket.ts';

const PEER = 'pipe:peer';
const SERVER = 'pipe:server';
/** Threads for arithmetic besides the one that runs the protocol. */
const THREADS = 1;
/** The program's own least; it grows from there. */
const INITIAL_PAGES = 220;

let engine: typeof import('@csfloat/tlsn-wasm');
let prover: Prover;
let verifier: Verifier;

async function load({ glue, program, memoryPages }: EngineTask): Promise<void> {
  installBrowserGlobals(glue, SPAWNER_SCRIPT, {
    WebSocket: createPipeWebSocket({ [PEER]: PIPE.peer, [SERVER]: PIPE.server }),
  });
  engine = await import(pathToFileURL(glue).href);
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: memoryPages, shared: true });
  engine.initSync({ module: readFileSync(program), memory });
  await engine.initialize(undefined, THREADS);
  // The program's bytes, which the compiled module does not need.
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}

function begin({ role, limits, serverName = '' }: EngineTask): void {
  const config = {
    max_sent_data: limits.maxSentData,
    max_recv_data: limits.maxRecvData,
    max_sent_records: undefined,
    max_recv_records_online: undefined,
  };
  if (role === 'verifier') {
    verifier = new engine.Verifier(config);
    return;
  }
  prover = new engine.Prover({
    ...config,
    server_name: serverName,
    max_recv_data_online: undefined,
    defer_decryption_from_start: undefined,
    network: 'Bandwidth',
    client_auth: undefined,
  });
}

/** What the engine tells of one direction; nothing but its length if nothing is shown. */
function authenticated(length: number, bytes?: readonly number[], ranges: readonly ByteRange[] = []) {
  return {
    bytes: bytes === undefined ? new Uint8Array(length) : Uint8Array.from(bytes),
    revealed: ranges.map(({ start, end }) => ({ start, end })),
  };
}

type Handlers = {
  [Method in keyof EngineCalls]: (
    argument: Parameters<EngineCalls[Method]>[0],
  ) => Promise<ReturnType<EngineCalls[Method]>>;
};

const handlers: Handlers = {
  async begin(task) {
    await load(task);
    begin(task);
    return null;
  },
  async setup() {
    await prover.setup(PEER);
    return null;
  },
  async request({ target, method, headers, body }) {
    const entries = headers.map(([name, value]): [string, number[]] => [name, [...new TextEncoder().encode(value)]]);
    await prover.send_request(SERVER, { uri: target, method, headers: new Map(entries), body });
    const { sent, recv } = prover.transcript();
    return { sent: Uint8Array.from(sent), received: Uint8Array.from(recv) };
  },
  async reveal({ sent, received }) {
    await prover.reveal({ sent: [...sent], recv: [...received], server_identity: true });
    return null;
  },
  async verify() {
    await verifier.connect(PEER);
    const { server_name: serverName = null, connection_info: info, transcript } = await verifier.verify();
    const { sent, recv } = info.transcript_length;
    return {
      serverName,
      time: Number(info.time),
      sent: authenticated(sent, transcript?.sent, transcript?.sent_authed),
      received: authenticated(recv, transcript?.recv, transcript?.recv_authed),
    };
  },
};

async function perform({ method, argument }: EngineCall): Promise<EngineAnswer> {
  try {
    const handler = handlers[method] as (argument: unknown) => Promise<unknown>;
    return { result: await handler(argument) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

process.on('message', (call: EngineCall) => {
  perform(call).then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit(0));
