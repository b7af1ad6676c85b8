/** The arithmetic of `createFieldMachine` in WebAssembly: sums of products of elements. */

import {
  branchIf,
  type Code,
  call,
  compile,
  get,
  i32,
  loadShort,
  loadWidened,
  OP,
  type Procedure,
  set,
  tee,
} from '../wasm-module.ts';
import {
  addCoefficients,
  CONSTANT_BYTES,
  constant,
  ELEMENT_BYTES,
  LIMBS,
  MASK_AT,
  multiplyVectors,
  pointOf,
  reduce,
  storeElement,
  TERMS_BEFORE_CARRY,
  times,
  update,
  VECTORS,
  vectorLocals,
} from './field-limbs.ts';
import type { Steps } from './steps.ts';

/** One step of a program, as it is in memory: four words of 32 bits. The count is 0 for a sum of two elements. */
export const STEP_BYTES = 16;
/** Indices of the procedures. */
const [DOT, PRODUCT, ADD] = [0, 1, 2];

let compiled: WebAssembly.Module | undefined;

/**
 * The module of `dot`, `product`, `add` and `run`. `CONSTANT_BYTES` of its memory are for `fieldConstants`. Compiled once in the
 * life of a process, which takes some milliseconds in each step.
 */
export function* fieldModule(): Steps<WebAssembly.Module> {
  if (compiled !== undefined) return compiled;
  const procedures: Procedure[] = [];
  for (const make of [dotProcedure, productProcedure, addProcedure, runProcedure]) {
    procedures.push(make());
    yield;
  }
  compiled ??= compile(CONSTANT_BYTES, procedures);
  return compiled;
}

/** The sum of `count` products of elements that follow each other. */
function dotProcedure(): Procedure {
  const [out, left, right, count, terms, counter] = [0, 1, 2, 3, 4, 5] as const;
  const locals = vectorLocals(6);
  const { mask, zero, point, carry } = locals;
  const accumulate = (index: number, product: Code) => update(point(index), product, OP.i64x2Add);
  // A third of the points at a time, so that sums stay in registers. The first two go back to the first term.
  const third = (index: number): Code => [
    ...times(12, (at) => [...get(zero), ...set(point(12 * index + at))]),
    ...[...get(terms), ...set(counter)],
    ...OP.loop,
    ...times(6, (at) => multiplyVectors(locals, { left, right, vector: 6 * index + at }, accumulate)),
    ...[left, right].flatMap((pointer) => update(pointer, i32(ELEMENT_BYTES), OP.i32Add)),
    ...[...get(counter), ...i32(1), ...OP.i32Sub, ...tee(counter), ...branchIf(0)],
    ...OP.end,
    ...[left, right].flatMap((pointer) =>
      index === 2 ? [] : update(pointer, [...get(terms), ...i32(ELEMENT_BYTES), ...OP.i32Mul], OP.i32Sub),
    ),
  ];
  const code = [
    ...[...constant(MASK_AT), ...set(mask)],
    ...OP.loop,
    ...[...get(count), ...i32(TERMS_BEFORE_CARRY), ...get(count), ...i32(TERMS_BEFORE_CARRY), ...OP.i32LessThan],
    ...[...OP.select, ...set(terms)],
    ...times(3, third),
    ...addCoefficients(locals),
    ...times(2 * LIMBS - 1, carry),
    ...[...get(count), ...get(terms), ...OP.i32Sub, ...tee(count), ...branchIf(0)],
    ...OP.end,
    ...reduce(locals),
    ...storeElement(locals, out),
  ];
  return { name: 'dot', parameters: 4, integers: 2, vectors: locals.count, code };
}

/** `dot` of one product, in two thirds of the time. */
function productProcedure(): Procedure {
  const [out, left, right] = [0, 1, 2] as const;
  const locals = vectorLocals(3);
  const { mask, point, carry } = locals;
  const keep = (index: number, product: Code) => [...product, ...set(point(index))];
  const code = [
    ...[...constant(MASK_AT), ...set(mask)],
    ...times(VECTORS, (vector) => multiplyVectors(locals, { left, right, vector }, keep)),
    ...addCoefficients(locals),
    // Sums of one product leave room for what the reduction adds.
    ...carry(0),
    ...reduce(locals),
    ...storeElement(locals, out),
  ];
  return { name: 'product', parameters: 3, vectors: locals.count, code };
}

function addProcedure(): Procedure {
  const [out, left, right] = [0, 1, 2] as const;
  const locals = vectorLocals(3);
  const limb = (of: number, index: number) => [...get(of), ...loadWidened(8 * pointOf(index))];
  const code = [
    ...[...constant(MASK_AT), ...set(locals.mask)],
    ...times(LIMBS, (index) => [
      ...[...limb(left, index), ...limb(right, index), ...OP.i64x2Add, ...set(locals.sum(LIMBS + index))],
    ]),
    ...storeElement(locals, out),
  ];
  return { name: 'add', parameters: 3, vectors: locals.count, code };
}

/** Runs the program from one address to another. */
function runProcedure(): Procedure {
  const [step, end, count] = [0, 1, 2] as const;
  const addresses = [0, 4, 8].flatMap((offset) => [...get(step), ...loadShort(offset)]);
  const code = [
    ...OP.loop,
    ...[
      ...get(step),
      ...loadShort(12),
      ...tee(count),
      ...OP.i32IsZero,
      ...OP.if,
      ...addresses,
      ...call(ADD),
      ...OP.else,
    ],
    ...[...get(count), ...i32(1), ...OP.i32Equal, ...OP.if, ...addresses, ...call(PRODUCT), ...OP.else],
    ...[...addresses, ...get(count), ...call(DOT), ...OP.end, ...OP.end],
    ...[...get(step), ...i32(STEP_BYTES), ...OP.i32Add, ...tee(step)],
    ...[...get(end), ...OP.i32LessThan, ...branchIf(0)],
    ...OP.end,
  ];
  return { name: 'run', parameters: 2, integers: 1, code };
}
