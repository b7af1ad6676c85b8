/**
 * The circuits refuse every false statement, each by the constraint that is there for it. Without that constraint, the statement
 * is refused elsewhere or not at all, and its test fails. The witness programs are the checked-in ones.
 */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { artifactNames, bundledArtifacts, readArtifact } from '../../../adapters/groth16-prover/artifacts.ts';
import { CIRCUIT_SIZES, type CircuitSize, sizeFor } from '../../../adapters/groth16-prover/circuit-sizes.ts';
import { type Signals, witnessInput } from '../../../adapters/groth16-prover/witness-input.ts';
import { UnsatisfiedError, WitnessProgram } from '../../../adapters/groth16-prover/witness-program.ts';
import { attestCommitments, openAttestation } from '../../../core/web-proof/attested-values/attestation.ts';
import { requestCommitment, valueCommitment } from '../../../core/web-proof/attested-values/commitments.ts';
import { FIELD_ORDER } from '../../../core/web-proof/attested-values/poseidon.ts';
import { BY_NOTARY } from '../../../core/web-proof/attested-values/program.ts';
import type { JournalValue } from '../../../core/web-proof/extraction/journal-value.ts';
import { notaryKey, signer } from '../../support/values-extension.ts';

const ARTIFACTS = new URL(`file://${bundledArtifacts()}/`);
const CIRCUIT = new URL('../../../adapters/groth16-prover/circuits/attested-values.circom', import.meta.url);

const facts = { method: 'GET', url: 'https://api.example.com/', tlsTimestamp: 1_763_600_000 };
const values: readonly JournalValue[] = Array.from({ length: 30 }, (_, i): JournalValue => {
  return { kind: 'uint256', text: String(i) };
});
const allQueries = values.map((_, i) => `[${i}]`);
const commitments = values.map((value, i) => valueCommitment(`[${i}]`, value));
const claims = { request: requestCommitment(facts), values: commitments };

function input(queries: readonly string[], seed = 1): Signals {
  const bytes = attestCommitments(signer, new Uint8Array(32).fill(seed), claims);
  const chosen = queries.flatMap((query) => values[allQueries.indexOf(query)] ?? []);
  const opened = openAttestation(bytes, notaryKey, claims);
  return witnessInput({ facts, attester: BY_NOTARY, queries, values: chosen }, opened);
}

const source = readFileSync(CIRCUIT, 'utf8').split('\n');

const programs = new Map<CircuitSize, WitnessProgram>();
beforeAll(async () => {
  for (const size of CIRCUIT_SIZES) {
    const bytes = await readArtifact(new URL(artifactNames(size).witnessProgram, ARTIFACTS).pathname);
    programs.set(size, await WitnessProgram.load(bytes));
  }
});

/** Rejects with an error that names the template and the line whose constraint does not hold. */
async function witness(signals: Signals): Promise<Uint8Array> {
  const program = programs.get(sizeFor(signals.claim?.length ?? 0));
  if (program === undefined) throw new Error('there is no circuit of this size');
  return program.calculate(signals);
}

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
/** Three values of several leaves, and the same of another tree. */
const three = ['[0]', '[8]', '[29]'];
const proven = input(three);
const another = input(three, 2);

describe('the circuits accept', () => {
  it.each([
    ['the request alone', []],
    ['one value', ['[29]']],
    ['three values of several leaves', three],
    ['four values', allQueries.slice(7, 11)],
    ['five values', allQueries.slice(0, 5)],
    ['eight values', allQueries.slice(0, 8)],
    ['the same value twice', ['[1]', '[1]']],
  ])('%s', async (_name, queries) => {
    await expect(witness(input(queries))).resolves.toBeInstanceOf(Uint8Array);
  });

  it('another value of the same leaf in its place, which shows nothing false', async () => {
    const signals = tampered(input(['[0]']), ['claim', 0], () => claims.values[1] ?? 0n);
    await expect(witness(signals)).resolves.toBeInstanceOf(Uint8Array);
  });
});

/** The statements of the circuit whose constraints refuse; the program names the line. */
const IN_LEAF = 'inLeaf.out === 0;';
const IN_GROUP = 'claim * inGroup.out === 0;';
const IN_GROUPS = 'claim * inGroups.out === 0;';
const ROOT = 'rootHash.out === root;';

/** "Error in template X line: N" for the line of the source with this statement. */
function refusalAt(statement: string): RegExp {
  const line = source.findIndex((text) => text.trim() === statement) + 1;
  if (line === 0) throw new Error(`the circuit has no line "${statement}"`);
  return new RegExp(`template (?:Member|AttestedValues)_\\d+ line: ${line}\\b`);
}

describe('the circuits refuse', () => {
  const cases: readonly (readonly [string, (signals: Signals) => Signals, string])[] = [
    ['another request', (s) => tampered(s, ['request'], plus(1n)), ROOT],
    ['another value', (s) => tampered(s, ['claim', 0], plus(1n)), IN_LEAF],
    ['a value in an unused slot', (s) => tampered(s, ['claim', 3], plus(1n)), IN_LEAF],
    [
      'a value put into an unused slot and its leaf',
      (s) => tampered(tampered(s, ['claim', 3], plus(1n)), ['leaf', 3, 0], plus(1n)),
      IN_GROUP,
    ],
    [
      'a value put into a leaf',
      (s) =>
        tampered(
          tampered(s, ['claim', 1], () => 99n),
          ['leaf', 1, 0],
          () => 99n,
        ),
      IN_GROUP,
    ],
    ['a leaf with another neighbour', (s) => tampered(s, ['leaf', 1, 7], plus(1n)), IN_GROUP],
    ['a leaf with another salt', (s) => tampered(s, ['salt', 1], plus(1n)), IN_GROUP],
    ['a leaf that is not in its group', (s) => tampered(s, ['group', 1, 0], plus(1n)), IN_GROUP],
    ['a group with another neighbour', (s) => tampered(s, ['group', 1, 8], plus(1n)), IN_GROUPS],
    ['groups with another neighbour', (s) => tampered(s, ['groups', 8], plus(1n)), ROOT],
    ['groups without the one that holds the values', (s) => tampered(s, ['groups', 0], plus(1n)), ROOT],
    ['the paths of another tree', (s) => ({ ...s, ...pathsOf(another) }), IN_GROUPS],
    [
      'one value of another tree',
      (s) => {
        const one = (name: 'salt' | 'leaf' | 'group') =>
          (s[name] as Nested[]).map((own, i) => (i === 2 ? ((another[name] as Nested[])[2] ?? own) : own));
        return { ...s, salt: one('salt'), leaf: one('leaf'), group: one('group') };
      },
      IN_GROUPS,
    ],
    ['another root', (s) => tampered(s, ['root'], plus(1n)), ROOT],
    ['the root of another tree', (s) => ({ ...s, root: another.root ?? '' }), ROOT],
  ];

  it.each(cases)('%s', async (_name, tamper, where) => {
    const refused = await witness(tamper(proven)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnsatisfiedError);
    expect((refused as Error).message).toMatch(refusalAt(where));
  });

  it.each([
    ['one value', ['[0]']],
    ['eight values', allQueries.slice(0, 8)],
  ])('a false claim beside %s', async (_name, queries) => {
    const last = input(queries).claim?.length ?? 0;
    const signals = tampered(input(queries), ['claim', last - 1], plus(1n));
    await expect(witness(signals)).rejects.toThrow(refusalAt(IN_LEAF));
  });
});

function pathsOf({ salt = [], leaf = [], group = [] }: Signals): Signals {
  return { salt, leaf, group };
}
