/** The `AbiEncoder` of viem. */
import type { AbiEncoder } from '../../core/ports/abi-encoder.ts';
import { loadPackage } from '../package-loader/index.ts';

/** @throws MissingPackageError without the package viem */
export function createAbiEncoder(): AbiEncoder {
  const { encodeAbiParameters, hexToBytes } = loadPackage('viem/utils', 'Compressing web proofs');
  return (values) =>
    hexToBytes(
      encodeAbiParameters(
        values.map(({ type }) => ({ type })),
        values.map(({ value }) => value),
      ),
    );
}
