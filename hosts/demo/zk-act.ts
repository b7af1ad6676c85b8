/** The end of the way: a value of the web proof, compressed into a zero-knowledge proof that a contract on a local EVM accepts. */
import type { Hex } from 'viem';
import { type LocalChain, startLocalChain } from './evm/local-chain.ts';
import { compileSolidity } from './evm/solidity.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';
import type { WebProof } from './web-proof-act.ts';

interface Envelope<T> {
  readonly data: T;
}

interface Compressed {
  readonly zkProof: Hex;
  readonly journalDataAbi: Hex;
}

const CONTRACTS = new URL('../../contracts/', import.meta.url);
const QUERY = 'order.id';
const VALUE = 'A-1842';
const MAX_AGE_SECONDS = 3600n;

export async function playZeroKnowledge(stage: Stage, story: Story, proof: WebProof): Promise<void> {
  story.act('A zero-knowledge proof of one value, checked by a contract');
  const request = { presentation: proof, extraction: { 'response.body': { jmespath: [QUERY] } } };
  const compressed = await story.step(
    `compress ${QUERY}`,
    async () => (await stage.call<Envelope<Compressed>>('POST', '/api/v2.0/evm/compress-web-proof', request)).data,
    ({ zkProof }) => `a seal of ${zkProof.length / 2 - 1} bytes`,
  );
  const { guestId } = (await stage.call<Envelope<{ guestId: Hex }>>('GET', '/api/v2.0/evm/guest-id')).data;
  const { journalValues } = (
    await stage.call<Envelope<{ journalValues: readonly string[] }>>(
      'POST',
      '/api/v2.0/debug/evm/journal-decode-helper',
      request,
    )
  ).data;
  const [fingerprint, , url, , extractionHash] = journalValues as readonly [Hex, string, string, string, Hex];
  const chain = await story.step('start a local EVM', startLocalChain);
  try {
    const consumer = await story.step('compile and deploy the verifier and a consumer', () =>
      deploy(chain, [guestId, fingerprint, JSON.parse(url) as string, extractionHash]),
    );
    const submit = (journal: Hex) =>
      chain.send(consumer.address, consumer.abi, 'submit', [compressed.zkProof, journal]);
    const altered = replaceText(compressed.journalDataAbi, VALUE, 'B-1842');
    const refusal = await submit(altered).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );
    story.expect('an altered value is refused', refusal !== 'accepted', refusal);
    await story.step(
      'submit seal and journal',
      () => submit(compressed.journalDataAbi),
      (used) => `${used} gas`,
    );
    const value = await chain.read(consumer.address, consumer.abi, 'value');
    story.expect(`the contract holds ${QUERY} = ${VALUE}`, value === VALUE, String(value));
  } finally {
    chain.stop();
  }
}

async function deploy(
  chain: LocalChain,
  [guestId, fingerprint, url, extractionHash]: readonly [Hex, Hex, string, Hex],
) {
  const [verifiers, consumers] = await Promise.all(
    ['WebProofVerifier', 'WebProofConsumer'].map((name) => compileSolidity(new URL(`${name}.sol`, CONTRACTS).pathname)),
  );
  const verifier = await chain.deploy(required(verifiers?.WebProofVerifier));
  const contract = required(consumers?.WebProofConsumer);
  const args = [verifier.address, guestId, fingerprint, url, extractionHash, MAX_AGE_SECONDS];
  const { address } = await chain.deploy(contract, args);
  return { address, abi: contract.abi };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The compiler gave no such contract.');
  return value;
}

/** The journal with one of its strings replaced by another of the same length. */
function replaceText(journal: Hex, from: string, to: string): Hex {
  const hex = (text: string) => Buffer.from(text).toString('hex');
  return journal.replace(hex(from), hex(to)) as Hex;
}
