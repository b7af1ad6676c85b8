/** What is used of circomlibjs, which comes without types. */
declare module 'circomlibjs' {
  interface Field {
    e(value: bigint): Uint8Array;
    toObject(element: Uint8Array): bigint;
  }
  interface Poseidon {
    (inputs: readonly bigint[]): Uint8Array;
    readonly F: Field;
  }
  interface Eddsa {
    readonly F: Field;
    verifyPoseidon(
      message: Uint8Array,
      signature: { readonly R8: readonly [Uint8Array, Uint8Array]; readonly S: bigint },
      key: readonly [Uint8Array, Uint8Array],
    ): boolean;
  }
  export function buildPoseidon(): Promise<Poseidon>;
  export function buildEddsa(): Promise<Eddsa>;
}
