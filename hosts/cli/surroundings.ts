/** What the commands need of the program around them. */
import type { Command } from 'commander';
import { type CallInput, call, type Target } from './call.ts';
import { type Operation, operationNamed } from './operations.ts';
import type { ShowProgress } from './progress.ts';
import type { Variables } from './target.ts';

/** What a run of the command line touches. */
export interface Run {
  /** What follows the name of the program. */
  readonly argv: readonly string[];
  readonly env: Variables;
  readonly folder: string;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Draws the progress of long work; left out if the output is no terminal. */
  readonly showProgress?: ShowProgress | undefined;
  /** How wide the terminal is; left out if the output is none. */
  readonly columns?: number | undefined;
  /** Asks a question and resolves to the answer; left out if nobody sits at a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Fires when a command that waits must end. */
  readonly signal: AbortSignal;
}

export interface Surroundings extends Run {
  readonly operations: readonly Operation[];
  /** Options of the program, given before or behind the command. */
  readonly target: (command: Command) => Promise<Target>;
  /** Lets the program end with 1, though nothing is thrown. */
  readonly fail: () => void;
}

/** Calls an operation for a command. */
export async function callFor(
  { target, operations }: Surroundings,
  command: Command,
  [group, name]: readonly [group: string, name: string],
  input: CallInput,
): Promise<unknown> {
  return call(await target(command), operationNamed(operations, group, name), input);
}

export const wantsJson = (command: Command) => command.optsWithGlobals<{ json?: boolean }>().json === true;
