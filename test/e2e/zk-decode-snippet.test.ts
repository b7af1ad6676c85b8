/** The Solidity that the decode helper gives, compiled and run against journals of its types and of others. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Abi, bytesToHex, type Hex, hexToBytes } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalValue } from '../../core/web-proof/extraction/journal-value.ts';
import { describeJournal } from '../../core/web-proof/journal/decode-help.ts';
import { encodeAbi } from '../../core/web-proof/journal/encode.ts';
import { journalMembers } from '../../core/web-proof/journal/journal.ts';
import { type LocalChain, startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import { newFolder } from '../support/new-folder.ts';
import { compileOnce } from '../support/solidity.ts';

const integer = (text: string): JournalValue => ({ kind: 'uint256', text });
const text = (value: string): JournalValue => ({ kind: 'string', text: value });

const membersOf = (values: readonly JournalValue[]) =>
  journalMembers({
    notaryKeyFingerprint: new Uint8Array(32).fill(0xab),
    facts: { method: 'GET', url: 'https://api.example/v1/ticker?symbol=ETH', tlsTimestamp: 1_763_600_000 },
    queries: values.map((_, index) => `q${index}`),
    values,
  });
const journalOf = (values: readonly JournalValue[]): Hex => bytesToHex(encodeAbi(membersOf(values)));

/** By name: values whose types the snippet is made for. */
const SHAPES: Readonly<Record<string, readonly JournalValue[]>> = {
  None: [],
  Integer: [integer('320')],
  Text: [text('3500.5')],
  TextInteger: [text('a ☃ "b"'), integer('149')],
  IntegerText: [integer('149'), text('')],
  IntegerInteger: [integer('0'), integer(String(2n ** 256n - 1n))],
  TextText: [text('x'.repeat(32)), text('y'.repeat(33))],
  TextIntegerText: [text('a'), integer('149'), text('b')],
  Eight: [...'abcd'].flatMap((letter) => [text(letter), integer('7')]),
};
const NAMES = Object.keys(SHAPES);

let chain: LocalChain;
const contracts = new Map<string, { readonly address: Hex; readonly abi: Abi }>();

/** Returns the last value that the snippet declares. */
function contractSource(name: string): string {
  const members = membersOf(SHAPES[name] ?? []);
  const last = members.at(-1);
  const type = last?.type === 'string' ? 'string memory' : last?.type;
  const snippet = describeJournal(members).solidityCodeSnippet;
  const body = (
    location: string,
  ) => `function ${location}(bytes ${location === 'inCalldata' ? 'calldata' : 'memory'} journalDataAbi)
        external pure returns (${type}) {
        ${snippet}
        return ${last?.name};
    }`;
  return `contract ${name} {\n${body('inCalldata')}\n${body('inMemory')}\n}`;
}

beforeAll(async () => {
  const file = join(newFolder(), 'Snippets.sol');
  const header = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.24;\n';
  await writeFile(file, header + NAMES.map(contractSource).join('\n'));
  // Eight values do not fit on the stack; optimizing them takes seconds.
  const compiled = await compileOnce(file, { optimized: false, viaIR: true });
  chain = await startLocalChain();
  for (const name of NAMES) {
    const contract = compiled[name];
    if (contract === undefined) throw new Error(`${name} was not compiled`);
    contracts.set(name, { abi: contract.abi, address: (await chain.deploy(contract)).address });
  }
}, 60_000);
afterAll(() => chain?.stop());

async function read(name: string, journal: Hex, location: 'inCalldata' | 'inMemory' = 'inCalldata'): Promise<unknown> {
  const contract = contracts.get(name);
  if (contract === undefined) throw new Error(`${name} is not deployed`);
  return chain.read(contract.address, contract.abi, location, [journal]);
}

describe('the snippet of the decode helper', () => {
  it.each(NAMES)('reads a journal of its types: %s', async (name) => {
    const values = SHAPES[name] ?? [];
    const value = membersOf(values).at(-1)?.value;
    expect(await read(name, journalOf(values))).toBe(value);
    expect(await read(name, journalOf(values), 'inMemory')).toBe(value);
  });

  it('does not read an integer from a text, which would be its offset', async () => {
    await expect(read('Integer', journalOf([text('3500.5')]))).rejects.toThrow('The journal has other types.');
    await expect(read('Integer', journalOf([text('3500.5')]), 'inMemory')).rejects.toThrow('other types');
  });

  it.each([192, 224, 256, 288, 320, 0])(
    'does not read a text from the integer %i, which may be an offset',
    async (offset) => {
      await expect(read('Text', journalOf([integer(String(offset))]))).rejects.toThrow();
    },
  );

  it('reads no journal of other types or of another number of values', async () => {
    for (const name of NAMES) {
      for (const other of NAMES.filter((each) => each !== name)) {
        await expect(read(name, journalOf(SHAPES[other] ?? [])), `${other} as ${name}`).rejects.toThrow();
      }
    }
  });

  /** The place of the first text among `count` values in the journal: behind the head, the method and the URL. */
  const firstTextOffset = (count: number) => String(32 * (5 + count) + 64 + 96);

  it.each([
    ['TextInteger', [integer(firstTextOffset(2)), text('a')]],
    ['IntegerText', [text('a'), integer(firstTextOffset(2))]],
    // The second text stands two words behind the first.
    ['TextIntegerText', [text('a'), text('b'), integer(String(Number(firstTextOffset(3)) + 64))]],
    ['TextIntegerText', [integer(firstTextOffset(3)), text('a'), text('b')]],
  ] as const)('does not take an integer that is the offset of a text for the text: %s', async (name, values) => {
    for (const location of ['inCalldata', 'inMemory'] as const) {
      await expect(read(name, journalOf(values), location)).rejects.toThrow('can be read with other types');
    }
  });

  it.each(['TextInteger', 'TextText'])('reads no journal of its types that is encoded otherwise: %s', async (name) => {
    const journal = journalOf(SHAPES[name] ?? []);
    const bytes = hexToBytes(journal);
    const changed = (index: number, to: number) => bytesToHex(bytes.with(index, to));
    await expect(read(name, `${journal}00`)).rejects.toThrow();
    await expect(read(name, `${journal}${'00'.repeat(32)}`)).rejects.toThrow();
    // Dirty padding behind the last text, and the offset of one text in the place of another's.
    await expect(read(name, changed(bytes.length - 1, 1))).rejects.toThrow();
    await expect(read(name, changed(2 * 32 - 1, bytes[3 * 32 - 1] ?? 0))).rejects.toThrow();
  });
});
