/** The commands of `npx credence` in this process: everything but how a process starts and ends. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { runCli } from '../../hosts/cli/program.ts';
import { listen } from './listen.ts';
import { newFolder } from './new-folder.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Given {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** What somebody at the terminal answers; without it there is no terminal. */
  readonly answer?: string | ((told: string) => string);
  /** Gets what is printed, while it is. */
  readonly out?: string[];
}

/** Makes a folder for each test. Commands run in it, with `env` unless told otherwise. */
export function setUpCli(env: () => Readonly<Record<string, string>>) {
  let folder = '';
  beforeEach(async () => {
    folder = newFolder();
  });
  return {
    path: (...names: readonly string[]) => join(folder, ...names),
    async run(argv: readonly string[], given: Given = {}): Promise<Outcome> {
      const { signal = new AbortController().signal, out = [] } = given;
      const err: string[] = [];
      const { answer } = given;
      const code = await runCli({
        argv,
        env: { XDG_CONFIG_HOME: folder, ...env(), ...given.env },
        folder,
        print: (text) => out.push(text),
        printError: (text) => err.push(text),
        ask:
          answer === undefined ? undefined : async () => (typeof answer === 'string' ? answer : answer(err.join('\n'))),
        signal,
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    },
  };
}

/** Stands for an instance that answers every request so. */
export function startAnswering(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    answer(request, response);
  });
  return listen(server);
}
