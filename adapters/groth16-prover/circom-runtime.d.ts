/** What is used of circom_runtime, which comes without types. */
declare module 'circom_runtime' {
  export function WitnessCalculatorBuilder(
    program: Uint8Array,
    options: { readonly memorySize: number },
  ): Promise<{ calculateWTNSBin(input: unknown): Promise<Uint8Array> }>;
}
