import type { JournalMember } from './journal.ts';

/** Members before the values; their types never differ. */
export const FIXED_MEMBERS = 5;

const WORD = 32;

/**
 * Finds an integer that is also the offset of a text among the values. With the two exchanged, the same bytes may be a journal of the
 * same values in another order. Returns the number of the value; undefined if there is none, and then the journal has one reading.
 * @param journal the members, encoded.
 */
export function exchangeableInteger(members: readonly JournalMember[], journal: Uint8Array): number | undefined {
  const words = members.map(({ type }, index) => ({
    type,
    value: journal.subarray(WORD * index, WORD * (index + 1)).join(),
  }));
  const values = words.slice(FIXED_MEMBERS);
  const offsets = new Set(values.filter(({ type }) => type === 'string').map(({ value }) => value));
  const found = values.findIndex(({ type, value }) => type === 'uint256' && offsets.has(value));
  return found === -1 ? undefined : found;
}
