/**
 * Runs the WebAssembly program of a circuit, as circom 2 compiles it. snarkjs compiles it again for every witness; here the
 * instance is kept, whose code is optimized by then.
 */

import { z } from 'zod';
import type { Signals } from './witness-input.ts';

type Signal = Signals[string];

const WORD_BITS = 32n;
const WORD_MASK = 0xffff_ffffn;
const FIELD_WORDS = 8;
const FIELD_BYTES = 4 * FIELD_WORDS;
const VERSION = 2;
const MAX_MESSAGE = 500;

const call = z.custom<(...args: number[]) => number>((value) => typeof value === 'function');
/** What is used of such a program. Field elements pass through a shared buffer of 32-bit words, the lowest first. */
const programSchema = z.looseObject({
  getVersion: call,
  getFieldNumLen32: call,
  getRawPrime: call,
  getWitnessSize: call,
  getInputSize: call,
  getInputSignalSize: call,
  init: call,
  setInputSignal: call,
  getWitness: call,
  readSharedRWMemory: call,
  writeSharedRWMemory: call,
  getMessageChar: call,
});
type Program = z.infer<typeof programSchema>;

/** The statement is false, or the signals are not those of the circuit. */
export class UnsatisfiedError extends Error {}

/** A circuit's program. One witness at a time: it is computed without a pause. */
export class WitnessProgram {
  readonly #module: WebAssembly.Module;
  #instance: Program | undefined;

  private constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Compiles a program. Rejects if it is no WebAssembly. */
  static async load(bytes: Uint8Array): Promise<WitnessProgram> {
    return new WitnessProgram(await WebAssembly.compile(bytes.slice()));
  }

  /**
   * The witness in the format of snarkjs (`.wtns`). Throws an `UnsatisfiedError` if a constraint does not hold or the signals are
   * not those of the circuit.
   */
  calculate(input: Signals): Uint8Array {
    const program = this.#instance ?? instantiate(this.#module);
    // One that failed midway is in no known state.
    this.#instance = undefined;
    program.init(1);
    setSignals(program, input);
    const witness = encode(program);
    this.#instance = program;
    return witness;
  }
}

function instantiate(module: WebAssembly.Module): Program {
  /** The templates and lines of the circuit that lead to the constraint that does not hold. */
  let trace = '';
  const exceptionHandler = (code: number) => {
    throw new UnsatisfiedError(`the program of the circuit ended with code ${code}${trace}`);
  };
  const printErrorMessage = () => {
    trace += `; ${readMessage(program)}`;
  };
  const ignore = () => undefined;
  const instance = new WebAssembly.Instance(module, {
    runtime: { exceptionHandler, printErrorMessage, writeBufferMessage: ignore, showSharedRWMemory: ignore },
  });
  const program: Program = programSchema.parse(instance.exports);
  if (program.getVersion() !== VERSION || program.getFieldNumLen32() !== FIELD_WORDS) {
    throw new Error('the witness program is not one of circom 2 over a field of 256 bits');
  }
  return program;
}

/** What the program has to say, a character a call. */
function readMessage({ getMessageChar }: Program): string {
  let text = '';
  for (let char = getMessageChar(); char !== 0 && text.length < MAX_MESSAGE; char = getMessageChar()) {
    text += String.fromCharCode(char);
  }
  return text;
}

function setSignals(program: Program, input: Signals): void {
  let set = 0;
  for (const [name, signal] of Object.entries(input)) {
    const values = flat(signal);
    const [high, low] = nameHash(name);
    if (program.getInputSignalSize(high, low) !== values.length) {
      throw new UnsatisfiedError(`the circuit has no signal ${name} of ${values.length} elements`);
    }
    for (const [position, value] of values.entries()) {
      let rest = BigInt(value);
      for (let word = 0; word < FIELD_WORDS; word += 1) {
        program.writeSharedRWMemory(word, Number(rest & WORD_MASK));
        rest >>= WORD_BITS;
      }
      program.setInputSignal(high, low, position);
      set += 1;
    }
  }
  if (set !== program.getInputSize()) throw new UnsatisfiedError('a signal of the circuit is missing');
}

function flat(signal: Signal): readonly string[] {
  return typeof signal === 'string' ? [signal] : signal.flatMap(flat);
}

/** 64 bits of FNV-1a in two halves: the name by which a program knows a signal. */
function nameHash(name: string): readonly [number, number] {
  let hash = 0xcbf2_9ce4_8422_2325n;
  for (const byte of new TextEncoder().encode(name))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100_0000_01b3n);
  return [Number(hash >> WORD_BITS) | 0, Number(hash & WORD_MASK) | 0];
}

/** A `.wtns` file: magic, version and two sections, the field with the number of elements, and the elements. */
function encode(program: Program): Uint8Array {
  const count = program.getWitnessSize();
  const header = [0x736e7477, VERSION, 2];
  const field = [1, FIELD_BYTES + 8, 0, FIELD_BYTES];
  const elements = [2, count * FIELD_BYTES, 0];
  const words = new Uint32Array(header.length + field.length + FIELD_WORDS + 1 + elements.length + count * FIELD_WORDS);
  let at = 0;
  const put = (...values: number[]) => {
    words.set(values, at);
    at += values.length;
  };
  const putShared = () => {
    for (let word = 0; word < FIELD_WORDS; word += 1) words[at + word] = program.readSharedRWMemory(word);
    at += FIELD_WORDS;
  };
  put(...header, ...field);
  program.getRawPrime();
  putShared();
  put(count, ...elements);
  for (let index = 0; index < count; index += 1) {
    program.getWitness(index);
    putShared();
  }
  return new Uint8Array(words.buffer);
}
