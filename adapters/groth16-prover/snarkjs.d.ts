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
  /** Gets the lines that the command line of snarkjs prints. */
  export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', (line: string) => void>>;
  export const powersOfTau: {
    newAccumulator(curve: Curve, power: number, to: string, log: Log): Promise<unknown>;
    beacon(from: string, to: string, name: string, value: string, rounds: number, log: Log): Promise<unknown>;
    preparePhase2(from: string, to: string, log: Log): Promise<unknown>;
    verify(path: string, log: Log): Promise<boolean>;
  };
  export const zKey: {
    /** -1 if the circuit does not fit the powers of tau. */
    newZKey(constraints: string, ptau: string, to: string, log: Log): Promise<unknown>;
    contribute(from: string, to: string, name: string, entropy: string, log: Log): Promise<unknown>;
    beacon(from: string, to: string, name: string, value: string, rounds: number, log: Log): Promise<unknown>;
    verifyFromR1cs(constraints: string, ptau: string, key: string, log: Log): Promise<boolean>;
    exportVerificationKey(key: string, log: Log): Promise<unknown>;
  };
  export const wtns: {
    calculate(input: unknown, witnessProgram: File, witness: File): Promise<void>;
    /** Throws, or resolves to false, when a constraint does not hold. */
    check(constraints: string, witness: File | string): Promise<boolean>;
  };
}
