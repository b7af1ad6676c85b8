/** Solidity types of the values that a journal holds. */
export type AbiType = 'bytes32' | 'string' | 'uint256';

/** One value of a tuple: `bytes32` as 0x and 64 hex digits, `uint256` as a bigint. */
export interface AbiValue {
  readonly type: AbiType;
  readonly value: string | bigint;
}

/** Encodes values as `abi.encode` of Solidity does: canonical, as one tuple without a wrapper. */
export type AbiEncoder = (values: readonly AbiValue[]) => Uint8Array;
