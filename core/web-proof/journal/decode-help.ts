/** Help for writing the contract that reads a journal: types, values to look at, and Solidity statements. */

import { FIXED_MEMBERS } from './exchangeable.ts';
import type { JournalMember } from './journal.ts';

export interface JournalDecodeHelp {
  readonly journalTypes: readonly string[];
  /** Strings in quotes, bytes32 as 0x hex, integers in decimal. */
  readonly journalValues: readonly string[];
  /**
   * An `abi.decode` statement that declares every member, and a `require` that reverts for journals of other types. With both
   * integers and texts among the values, a second one reverts for journals that can also be read with other types. It reads a
   * `bytes journalDataAbi` in memory or calldata. From seven values on, only the compiler's IR pipeline (`viaIR`) takes it.
   */
  readonly solidityCodeSnippet: string;
}

/** Describes the members of a journal. */
export function describeJournal(members: readonly JournalMember[]): JournalDecodeHelp {
  const types = members.map((member) => member.type);
  const declarations = members.map(({ name, type }) => `    ${type === 'string' ? 'string memory' : type} ${name}`);
  const names = members.map((member) => member.name).join(', ');
  // A journal does not carry its types: `abi.decode` takes the offset of a text for an integer, and an integer for an offset.
  const decode = `(\n${declarations.join(',\n')}\n) = abi.decode(journalDataAbi, (${types.join(', ')}));`;
  const guard = `require(\n    keccak256(abi.encode(${names})) == keccak256(journalDataAbi),\n    "The journal has other types."\n);`;
  return {
    journalTypes: types,
    journalValues: members.map(({ type, value }) => (type === 'string' ? JSON.stringify(value) : String(value))),
    solidityCodeSnippet: [decode, guard, ...swapGuard(members)].join('\n'),
  };
}

/**
 * The statement that refuses a journal in which an integer is the offset of a text. With the two exchanged, the same bytes are a
 * journal of the same values in another order. None if the values have one type.
 */
function swapGuard(members: readonly JournalMember[]): readonly string[] {
  const values = members.map(({ name, type }, index) => ({ name, type, index })).slice(FIXED_MEMBERS);
  const integers = values.filter(({ type }) => type === 'uint256');
  const texts = values.filter(({ type }) => type === 'string');
  const conditions = integers.flatMap(({ name }) => texts.map(({ index }) => `${name} != words[${index}]`));
  if (conditions.length === 0) return [];
  const words = `uint256[${members.length}]`;
  return [
    '{',
    `    ${words} memory words = abi.decode(journalDataAbi, (${words}));`,
    '    require(',
    `        ${conditions.join(' &&\n        ')},`,
    '        "The journal can be read with other types."',
    '    );',
    '}',
  ];
}
