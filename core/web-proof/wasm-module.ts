/** Puts WebAssembly modules together: the part of the binary format that the arithmetic of this folder needs. */

/** Bytes of instructions, or of a part of a module. */
export type Code = readonly number[];

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;
export const PAGE_BYTES = 65_536;

/** Instructions without operands of their own. */
export const OP = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  else: [0x05],
  end: [0x0b],
  i32IsZero: [0x45],
  i32Equal: [0x46],
  i32Add: [0x6a],
  i32Sub: [0x6b],
  i32Mul: [0x6c],
  i32LessThan: [0x49],
  select: [0x1b],
  i64Equal: [0x51],
  i64LessThan: [0x54],
  i64Add: [0x7c],
  i64Mul: [0x7e],
  i64And: [0x83],
  i64Xor: [0x85],
  i64ShiftRight: [0x88],
  i64RotateLeft: [0x89],
  i64ToI32: [0xa7],
  i32ToI64: [0xad],
  v128And: [0xfd, 0x4e],
  v128Or: [0xfd, 0x50],
  i64x2Splat: [0xfd, 0x12],
  i64x2ShiftRight: [0xfd, 0xcd, 0x01],
  i64x2Add: [0xfd, 0xce, 0x01],
  f64x2Add: [0xfd, 0xf0, 0x01],
  f64x2Subtract: [0xfd, 0xf1, 0x01],
  f64x2Multiply: [0xfd, 0xf2, 0x01],
  /** a * b + c. Relaxed: it rounds once if the processor can, else twice. */
  f64x2MultiplyAdd: [0xfd, 0x87, 0x02],
} as const;

export const branchIf = (depth: number): Code => [0x0d, depth];
export const get = (local: number): Code => [0x20, local];
export const set = (local: number): Code => [0x21, local];
/** Sets a local and leaves its value on the stack. */
export const tee = (local: number): Code => [0x22, local];
export const call = (index: number): Code => [0x10, index];
/** Of 32 bits, at the address on the stack and `offset`. */
export const loadShort = (offset: number): Code => [0x28, 2, ...unsigned(offset)];
/** Of 64 bits, likewise. */
export const load = (offset: number): Code => [0x29, 3, ...unsigned(offset)];
export const store = (offset: number): Code => [0x37, 3, ...unsigned(offset)];
/** A vector of 128 bits. */
export const loadVector = (offset: number): Code => [0xfd, 0x00, 4, ...unsigned(offset)];
export const storeVector = (offset: number): Code => [0xfd, 0x0b, 4, ...unsigned(offset)];
export const i32 = (value: number): Code => [0x41, ...signed(BigInt(value))];
export const i64 = (value: bigint): Code => [0x42, ...signed(value)];

/** A function without a result. Its locals follow its parameters, which are integers of 32 bits: the short ones first. */
export interface Procedure {
  /** Under which it is exported. */
  readonly name: string;
  readonly parameters: number;
  /** Locals of 32 bits, like parameters. */
  readonly integers?: number;
  /** Locals of 64 bits. */
  readonly longs?: number;
  /** Locals of 128 bits. */
  readonly vectors?: number;
  readonly code: Code;
}

/** Compiles a module with so many bytes of memory, which is exported as `memory`; procedures call each other by index. */
export function compile(memoryBytes: number, procedures: readonly Procedure[]): WebAssembly.Module {
  const signatures = procedures.map(({ parameters }) => [0x60, parameters, ...new Array(parameters).fill(I32), 0]);
  const names = procedures.map(({ name }, index) => [...text(name), 0, index]);
  const bodies = procedures.map(({ integers = 0, longs = 0, vectors = 0, code }) => {
    const content = [
      ...list([
        [...unsigned(integers), I32],
        [...unsigned(longs), I64],
        [...unsigned(vectors), V128],
      ]),
      ...code,
      ...OP.end,
    ];
    return [...unsigned(content.length), ...content];
  });
  const bytes = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, signatures),
    ...section(
      3,
      procedures.map((_, index) => [index]),
    ),
    ...section(5, [[0, ...unsigned(Math.ceil(memoryBytes / PAGE_BYTES))]]),
    ...section(7, [[...text('memory'), 2, 0], ...names]),
    ...section(10, bodies),
  ]);
  return new WebAssembly.Module(bytes);
}

/** What an instance of the module exports. */
export function instantiate(module: WebAssembly.Module): unknown {
  return new WebAssembly.Instance(module, {}).exports;
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

function signed(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest < -64n || rest > 63n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest & 0x7fn)];
}

const list = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const text = (ascii: string): Code => [ascii.length, ...new TextEncoder().encode(ascii)];
const section = (id: number, items: readonly Code[]): Code => {
  const content = list(items);
  return [id, ...unsigned(content.length), ...content];
};
