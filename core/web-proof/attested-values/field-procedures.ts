/** The arithmetic of `createVectorMachine` in WebAssembly: sums of products of elements. */

import { branchIf, call, compile, get, i32, i64, loadShort, OP, type Procedure, tee } from '../wasm-module.ts';
import {
  addElements,
  beginSums,
  CONSTANT_BYTES,
  ELEMENT_BYTES,
  loadConstants,
  reduce,
  storeAdded,
  storeSums,
  update,
  vectorLocals,
} from './field-limbs.ts';
import type { Steps } from './steps.ts';

/** One step of a program, as it is in memory: four words of 32 bits. The count is 0 for a sum of two elements. */
export const STEP_BYTES = 16;
/** Indices of the procedures. */
const [DOT, PRODUCT, ADD] = [0, 1, 2];

let compiled: WebAssembly.Module | null | undefined;

/**
 * The module of `dot`, `product`, `add` and `run`; null if the engine knows no relaxed vector instructions. `CONSTANT_BYTES` of its
 * memory are for `fieldConstants`. Compiled once in the life of a process, which takes some milliseconds in each step.
 */
export function* fieldModule(): Steps<WebAssembly.Module | null> {
  if (compiled !== undefined) return compiled;
  const procedures: Procedure[] = [];
  for (const make of [dotProcedure, productProcedure, addProcedure, runProcedure]) {
    procedures.push(make());
    yield;
  }
  try {
    compiled ??= compile(CONSTANT_BYTES, procedures);
  } catch {
    compiled = null;
  }
  return compiled;
}

/** The sum of `count` products of elements that follow each other. */
function dotProcedure(): Procedure {
  const [out, left, right, count] = [0, 1, 2, 3] as const;
  const locals = vectorLocals(4);
  const code = [
    ...loadConstants(locals),
    ...beginSums(locals, [...get(count), ...OP.i32ToI64]),
    ...OP.loop,
    ...addElements(locals, left, right),
    ...[left, right].flatMap((pointer) => update(pointer, i32(ELEMENT_BYTES), OP.i32Add)),
    ...[...get(count), ...i32(1), ...OP.i32Sub, ...tee(count), ...branchIf(0)],
    ...OP.end,
    ...reduce(locals),
    ...storeSums(locals, out),
  ];
  return { name: 'dot', parameters: 4, vectors: locals.count, code };
}

/** `dot` of one product. */
function productProcedure(): Procedure {
  const [out, left, right] = [0, 1, 2] as const;
  const locals = vectorLocals(3);
  const code = [
    ...loadConstants(locals),
    ...beginSums(locals, i64(1n)),
    ...addElements(locals, left, right),
    ...reduce(locals),
    ...storeSums(locals, out),
  ];
  return { name: 'product', parameters: 3, vectors: locals.count, code };
}

function addProcedure(): Procedure {
  const [out, left, right] = [0, 1, 2] as const;
  const locals = vectorLocals(3);
  const code = [...loadConstants(locals), ...storeAdded(locals, out, left, right)];
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
