/** What is used of snarkjs, which comes without types. */
declare module 'snarkjs' {
  export type Proof = {
    pi_a: [string, string, string];
    pi_b: [[string, string], [string, string], [string, string]];
    pi_c: [string, string, string];
  };
  type File = { readonly type: 'mem'; data?: Uint8Array } | { readonly type: 'file'; readonly fileName: string };
  export const groth16: {
    prove(provingKey: File, witness: File): Promise<{ proof: Proof; publicSignals: string[] }>;
    verify(verifyingKey: unknown, publicSignals: readonly string[], proof: unknown): Promise<boolean>;
  };
  export const curves: {
    /** Starts threads that live until they are terminated. */
    getCurveFromName(name: string): Promise<Curve>;
  };
  export type Curve = { terminate(): Promise<void> };
  export const wtns: {
    calculate(input: unknown, witnessProgram: File, witness: File): Promise<void>;
    /** Throws, or resolves to false, when a constraint does not hold. */
    check(constraints: string, witness: File | string): Promise<boolean>;
  };
}
