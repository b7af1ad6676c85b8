import { describe, expect, it } from 'vitest';
import { verificationCost } from '../../../core/web-proof/journal/verification-cost.ts';

const journal = (bytes: number) => new Uint8Array(bytes).fill(1);

describe('the cost of a verification', () => {
  it('grows with the values, the queries and their number', () => {
    const { verificationGas, warnings } = verificationCost(journal(416), ['a']);
    expect(warnings).toEqual([]);
    expect(verificationGas).toBeGreaterThan(250_000);
    expect(verificationGas).toBeLessThan(280_000);
    for (const [size, queries] of [
      [1_416, ['a']],
      [416, ['a'.repeat(100)]],
      [416, ['a', 'b']],
    ] as const) {
      expect(verificationCost(journal(size), queries).verificationGas).toBeGreaterThan(verificationGas);
    }
  });

  it('comes with a warning if it is high, and if the transaction is too large to be relayed', () => {
    const gas = expect.stringContaining('gas. Query smaller values');
    expect(verificationCost(journal(40_000), ['a']).warnings).toEqual([gas]);
    const size = expect.stringContaining('relay no transaction above 131072');
    expect(verificationCost(journal(140_000), ['a']).warnings).toEqual([gas, size]);
  });

  it('counts the bytes of queries, not their characters', () => {
    const [plain, wide] = ['a', '\u2603'].map(
      (sign) => verificationCost(journal(416), [sign.repeat(100)]).verificationGas,
    );
    expect(wide).toBeGreaterThan(Number(plain));
  });
});
