/** A host as a process of its own, as it is run in production: started, watched, signalled. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../tools/workspaces.ts';
import { COMPILE_CACHE } from './compile-cache.ts';

const STANDALONE = fileURLToPath(new URL('../../hosts/standalone/main.ts', import.meta.url));
/** A host that proves nothing needs no prover. */
const NO_WARM_UP = fileURLToPath(new URL('./no-warm-up.json', import.meta.url));

export interface ChildOptions {
  /** The standalone host by default. */
  readonly script?: string;
  readonly args?: readonly string[];
  /** For Node, before the script. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Opens a channel for messages. */
  readonly ipc?: boolean;
}

export type ChildHost = ReturnType<typeof startChild>;

/** Starts a process that sees `PATH` and what `env` gives it, nothing else of this one's environment. */
export function startChild(options: ChildOptions = {}) {
  const { script = STANDALONE, args = [], nodeArgs = [], env = {}, cwd, ipc = false } = options;
  // Sources import other packages of the repository by name.
  const conditions = script.endsWith('.ts') && script.startsWith(ROOT) ? ['--conditions=credence-source'] : [];
  const child: ChildProcess = spawn(process.execPath, [...conditions, ...nodeArgs, script, ...args], {
    env: { PATH: process.env.PATH ?? '', CONFIG_FILE: NO_WARM_UP, ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  /** The exit code, or the signal that ended the process. */
  const closed = once(child, 'close').then(([code, signal]: unknown[]) => (code ?? signal) as number | NodeJS.Signals);
  const readyUrl = () => /^listening on (http:\S+)$/m.exec(stdout)?.[1];
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    /** The URL of the ready line. @throws Error with what the process wrote when it ends without one */
    async ready() {
      for (;;) {
        const url = readyUrl();
        if (url !== undefined) return url;
        const more = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), closed]);
        if (!Array.isArray(more) && readyUrl() === undefined) {
          throw new Error(`The process ended with ${more} before it was ready:\n${stdout}${stderr}`);
        }
      }
    },
    exit: () => closed,
    /** Sends a signal and waits for the end. */
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return closed;
    },
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
  };
}
