/** Proves an answer of each real server with each kind of key, and notes how far that gets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { setUpProving } from '../support/proving.ts';
import { createAuthority, ORIGIN_NAME } from '../support/tls-origin.ts';
import { type Offer, type RealServer, withSystemPath } from './real-servers.ts';

export const KEYS = ['rsa', 'p256', 'p384', 'ed25519'] as const;
export type Key = (typeof KEYS)[number];

/** What a proof says of the answer, or why there is none. */
export type Outcome = { readonly status: number; readonly body: string | null } | { readonly refused: string };

const READY_MS = 10_000;
const authority = createAuthority();
const leaves = new Map(KEYS.map((kind) => [kind, authority.leaf({ kind })]));
const { proveAndVerify } = setUpProving(authority);

/** Runs the server, proves one answer of it, and ends it. @throws Error with the server's output if it does not start. */
export async function tryServer(server: RealServer, kind: Key, offer: Offer = 'usual'): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-matrix-'));
  try {
    const port = await freePort();
    const leaf = leaves.get(kind) ?? authority.leaf({ kind });
    const pem = {
      leaf: leaf.pem,
      chain: authority.intermediate.pem,
      fullChain: `${leaf.pem}${authority.intermediate.pem}`,
      key: leaf.keyPem,
    };
    const path = (name: string) => join(folder, `${name}.pem`);
    const { args, files, environment } = server.configure({
      ...{ folder, port, offer, key: path('key') },
      ...{ leaf: path('leaf'), chain: path('chain'), fullChain: path('fullChain') },
    });
    for (const [name, text] of Object.entries(pem)) await writeFile(path(name), text);
    for (const [name, text] of Object.entries(files ?? {})) await writeFile(join(folder, name), text);
    const child = spawn(server.command, args, {
      cwd: folder,
      env: { ...withSystemPath(), ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
    const ended = once(child, 'exit');
    try {
      await untilListening(port, () => child.exitCode === null, output);
      return await prove(port);
    } finally {
      if (child.exitCode === null) child.kill('SIGTERM');
      await ended;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prove(port: number): Promise<Outcome> {
  try {
    const { response } = await proveAndVerify({ url: `https://${ORIGIN_NAME}:${port}/answer` });
    return { status: response.status, body: response.text };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

async function untilListening(port: number, isRunning: () => boolean, output: readonly string[]): Promise<void> {
  for (let waited = 0; waited < READY_MS && isRunning(); waited += 20) {
    if (await accepts(port)) return;
    await sleep(20);
  }
  throw new Error(`The server does not listen: ${output.join('').slice(-2_000)}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
