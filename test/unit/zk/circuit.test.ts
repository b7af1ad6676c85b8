/**
 * The circuit refuses every false statement, each by the constraint that is there for it. Take a constraint away and the
 * statement is refused elsewhere or not at all, and its test fails. The witness program is the checked-in one.
 */

import { readFileSync } from 'node:fs';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { wtns } from 'snarkjs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { BUNDLED_ARTIFACTS, loadArtifacts, readArtifact } from '../../../adapters/groth16-prover/artifacts.ts';
import { type Signals, witnessInput } from '../../../adapters/groth16-prover/witness-input.ts';
import { attestClaims, openAttestation } from '../../../core/web-proof/attested-values/attestation.ts';
import { requestClaim, valueClaim } from '../../../core/web-proof/attested-values/claims.ts';
import { FIELD_ORDER } from '../../../core/web-proof/attested-values/poseidon.ts';
import { BY_NOTARY } from '../../../core/web-proof/attested-values/program.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-key.ts';
import type { JournalValue } from '../../../core/web-proof/extraction/journal-value.ts';

const CIRCUIT = new URL('../../../adapters/groth16-prover/circuits/attested-values.circom', import.meta.url);
const SUBGROUP_ORDER = 2736030358979909402780800718157159386076813972158567259200215660948447373041n;
const secretKey = new Uint8Array(32).fill(7);
const notaryKey = secp256k1.getPublicKey(secretKey, true);
const signer = createValuesSigner(secretKey);

const facts = { method: 'GET', url: 'https://api.example.com/', tlsTimestamp: 1_763_600_000 };
const values: readonly JournalValue[] = Array.from({ length: 30 }, (_, i): JournalValue => {
  return { kind: 'uint256', text: String(i) };
});
const allQueries = values.map((_, i) => `[${i}]`);
const claims = [requestClaim(facts), ...values.map((value, i) => valueClaim(`[${i}]`, value))];

function input(queries: readonly string[], seed = 1): Signals {
  const bytes = attestClaims(signer, new Uint8Array(32).fill(seed), claims);
  const chosen = queries.flatMap((query) => values[allQueries.indexOf(query)] ?? []);
  return witnessInput(
    { facts, attester: BY_NOTARY, queries, values: chosen },
    openAttestation(bytes, notaryKey, claims),
  );
}

const source = readFileSync(CIRCUIT, 'utf8').split('\n');

let program: Uint8Array;
beforeAll(async () => {
  // snarkjs prints what it rejects with.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  program = await readArtifact((await loadArtifacts(BUNDLED_ARTIFACTS)).paths.witnessProgram);
});

/** Resolves when every constraint holds; rejects naming the template whose constraint does not. */
const witness = (signals: Signals) => wtns.calculate(signals, { type: 'mem', data: program }, { type: 'mem' });

type Nested = string | readonly Nested[];

/** `signals` with the value at a path changed. */
function tampered(signals: Signals, path: readonly (string | number)[], change: (value: bigint) => bigint): Signals {
  const visit = (node: Nested, rest: readonly (string | number)[]): Nested => {
    const [index, ...deeper] = rest;
    if (typeof node === 'string') return String(change(BigInt(node)));
    return node.map((child, i) => (i === index ? visit(child, deeper) : child));
  };
  const [name = '', ...rest] = path;
  return { ...signals, [name]: visit(signals[String(name)] ?? [], rest) };
}

const plus = (by: bigint) => (value: bigint) => (value + by) % FIELD_ORDER;
const three = ['[0]', '[8]', '[29]'];

describe('the circuit accepts', () => {
  it.each([
    ['the request alone', []],
    ['three values of several leaves', three],
    ['eight values', allQueries.slice(0, 8)],
    ['the same value twice', ['[1]', '[1]']],
  ])('%s', async (_name, queries) => {
    await expect(witness(input(queries))).resolves.toBeUndefined();
  });

  it('another value of the same leaf in its place, which shows nothing false', async () => {
    const signals = tampered(input(['[0]']), ['claim', 1], () => claims[2] ?? 0n);
    await expect(witness(signals)).resolves.toBeUndefined();
  });
});

/** The statements of the circuit whose constraints refuse; the program names the line. */
const IN_LEAF = 'inLeaf.group <== claims;';
const IN_GROUP = 'inGroup[level].group <== groups[level];';
const ROOT = 'claim * (below[DEPTH] - root) === 0;';
const KEY = 'keyOnCurve.y <== ay;';
const NONCE = 'nonceOnCurve.y <== r8y;';
const SIGNATURE = 'signature.M <== message.out;';

/** "Error in template X line: N" for the line of the source with this statement. */
function refusalAt(statement: string): RegExp {
  const line = source.findIndex((text) => text.trim() === statement) + 1;
  if (line === 0) throw new Error(`the circuit has no line "${statement}"`);
  return new RegExp(`template (?:Member|AttestedValues)_\\d+ line: ${line}\\b`);
}

describe('the circuit refuses', () => {
  const cases: readonly (readonly [string, (signals: Signals) => Signals, string])[] = [
    ['another request', (s) => tampered(s, ['claim', 0], plus(1n)), IN_LEAF],
    ['another value', (s) => tampered(s, ['claim', 1], plus(1n)), IN_LEAF],
    ['a value in an unused slot', (s) => tampered(s, ['claim', 5], plus(1n)), IN_LEAF],
    [
      'a value put into a leaf',
      (s) =>
        tampered(
          tampered(s, ['claim', 1], () => 99n),
          ['claims', 1, 0],
          () => 99n,
        ),
      IN_GROUP,
    ],
    ['a leaf with another neighbour', (s) => tampered(s, ['claims', 1, 8], plus(1n)), IN_GROUP],
    ['a leaf with another salt', (s) => tampered(s, ['salt', 1], plus(1n)), IN_GROUP],
    ['a leaf that is not in its group', (s) => tampered(s, ['groups', 1, 0, 0], plus(1n)), IN_GROUP],
    ['a group that is not in the next', (s) => tampered(s, ['groups', 1, 1, 0], plus(1n)), IN_GROUP],
    ['a group with another neighbour', (s) => tampered(s, ['groups', 1, 0, 8], plus(1n)), IN_GROUP],
    ['a topmost group with another neighbour', (s) => tampered(s, ['groups', 1, 1, 8], plus(1n)), ROOT],
    ['the path of another tree', (s) => ({ ...s, ...pathsOf(input(three, 2)) }), ROOT],
    [
      'one value of another tree',
      (s) => {
        const other = input(three, 2);
        const one = (name: 'salt' | 'claims' | 'groups') =>
          (s[name] as Nested[]).map((own, i) => (i === 2 ? ((other[name] as Nested[])[2] ?? own) : own));
        return { ...s, salt: one('salt'), claims: one('claims'), groups: one('groups') };
      },
      ROOT,
    ],
    ['another root', (s) => tampered(s, ['root'], plus(1n)), SIGNATURE],
    [
      'another tree under this signature',
      (s) => ({ ...s, ...pathsOf(input(three, 2)), root: input(three, 2).root ?? '' }),
      SIGNATURE,
    ],
    ['S + 1', (s) => tampered(s, ['s'], (v) => v + 1n), SIGNATURE],
    ['S + the order of the subgroup', (s) => tampered(s, ['s'], (v) => v + SUBGROUP_ORDER), SIGNATURE],
    ['another key', (s) => ({ ...s, ...keyOf(8) }), SIGNATURE],
    ['a key that is no point', (s) => tampered(s, ['ax'], plus(1n)), KEY],
    ['a nonce that is no point', (s) => tampered(s, ['r8y'], plus(1n)), NONCE],
    ['the negated nonce', (s) => tampered(s, ['r8x'], (v) => FIELD_ORDER - v), SIGNATURE],
    ['the neutral point for a key', (s) => ({ ...s, ax: '0', ay: '1' }), SIGNATURE],
  ];

  it.each(cases)('%s', async (_name, tamper, where) => {
    await expect(witness(tamper(input(three)))).rejects.toThrow(refusalAt(where));
  });
});

function pathsOf({ salt = [], claims: leaf = [], groups = [] }: Signals): Signals {
  return { salt, claims: leaf, groups };
}

function keyOf(fill: number): Signals {
  const { x, y } = createValuesSigner(new Uint8Array(32).fill(fill)).publicKey;
  return { ax: String(x), ay: String(y) };
}
