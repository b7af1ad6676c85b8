/** Help for who writes the contract that reads a journal: types, values to look at, and the line of Solidity. */

import type { JournalMember } from './journal.ts';

export interface JournalDecodeHelp {
  readonly journalTypes: readonly string[];
  /** Strings in quotes, bytes32 as 0x hex, integers in decimal. */
  readonly journalValues: readonly string[];
  /** An `abi.decode` statement that declares every member. */
  readonly solidityCodeSnippet: string;
}

/** Describes the members of a journal. */
export function describeJournal(members: readonly JournalMember[]): JournalDecodeHelp {
  const types = members.map((member) => member.type);
  const declarations = members.map(({ name, type }) => `    ${type === 'string' ? 'string memory' : type} ${name}`);
  return {
    journalTypes: types,
    journalValues: members.map(({ type, value }) => (type === 'string' ? JSON.stringify(value) : String(value))),
    solidityCodeSnippet: `(\n${declarations.join(',\n')}\n) = abi.decode(journalDataAbi, (${types.join(', ')}));`,
  };
}
