#!/usr/bin/env node
/** The command line: `npx credence`. */
import { existsSync } from 'node:fs';
import { outliveReaders } from '../standalone/closed-pipe.ts';
import { nodeVersionRefusal } from '../standalone/node-version.ts';
import { endWithWrapper } from '../standalone/wrapper.ts';
import { PROGRAMS, type Program } from './programs.ts';

const ENVIRONMENT_FILE = '.env';
/** Commands whose settings are environment variables. */
const CONFIGURED = ['start', 'doctor'];

const refusal = nodeVersionRefusal();
// Before anything else is loaded: the code of a command may need what an older Node.js does not have.
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(2);
}

endWithWrapper();
const ending = new AbortController();
outliveReaders(() => ending.abort());
const [name = '', ...rest] = process.argv.slice(2);
if (CONFIGURED.includes(name) && existsSync(ENVIRONMENT_FILE)) process.loadEnvFile(ENVIRONMENT_FILE);
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
if (name === 'zk' && rest[0] === 'ceremony') {
  process.exitCode = await runCeremony(rest.slice(1));
} else if (program !== undefined) {
  process.argv.splice(2, 1);
  await loaded(program);
} else {
  const { runCli } = await import('./program.ts');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  process.exitCode = await runCli({
    argv: [name, ...rest].filter((part, at) => at > 0 || part !== ''),
    env: process.env,
    folder: process.cwd(),
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    showProgress: process.stderr.isTTY
      ? (text) => process.stderr.write(text === null ? '\r\u001B[K' : `\r${text}\u001B[K`)
      : undefined,
    columns: process.stdout.columns,
    ask: process.stdin.isTTY && process.stderr.isTTY ? (question) => ask(question, ending.signal) : undefined,
    signal: ending.signal,
  });
}

/** On standard error: what is printed may go into a file. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // An end of the input is no answer.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return await Promise.race([lines.question(question, { signal }), ended]);
  } finally {
    lines.close();
  }
}

async function loaded({ load, needs }: Program): Promise<void> {
  try {
    await load();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing || needs === undefined || !String(error).includes(`'${needs}'`)) throw error;
    console.error(`This command needs the package ${needs}, which is not installed: npm install ${needs}`);
    process.exitCode = 2;
  }
}

async function runCeremony(args: readonly string[]): Promise<number> {
  try {
    const prover = await import('@credence/groth16/ceremony');
    return await prover.runCeremony(args, 'credence zk ceremony');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    console.error(
      'A ceremony needs the package @credence/groth16, which is not installed: npm install @credence/groth16',
    );
    return 2;
  }
}
