/** The end of the way: a value of the web proof, compressed into a zero-knowledge proof that a contract on a local EVM accepts. */
import type { WebProof } from '@credence/client';
import { type LocalChain, startLocalChain } from './evm/local-chain.ts';
import { compileSolidity } from './evm/solidity.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

const CONTRACTS = new URL('../../contracts/', import.meta.url);
const QUERY = 'order.id';
const VALUE = 'A-1842';
const MAX_AGE_SECONDS = 3600n;

export async function playZeroKnowledge(stage: Stage, story: Story, proof: WebProof): Promise<void> {
  story.act('A zero-knowledge proof of one value, checked by a contract');
  const request = { presentation: proof, extraction: { 'response.body': { jmespath: [QUERY] } } };
  const compressed = await story.step(
    `compress ${QUERY}`,
    () => stage.client.proofs.compress(request),
    ({ zkProof }) => `a seal of ${zkProof.length / 2 - 1} bytes`,
  );
  const { guestId } = await stage.client.proofs.guestId();
  const { journalValues } = await stage.client.proofs.decodeJournal(request);
  const [fingerprint, , url = '', , extractionHash] = journalValues;
  const chain = await story.step('start a local EVM', startLocalChain);
  try {
    const consumer = await story.step('compile and deploy the verifier and a consumer', () =>
      deploy(chain, [guestId, fingerprint, JSON.parse(url), extractionHash]),
    );
    const submit = (journal: string) =>
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

async function deploy(chain: LocalChain, pins: readonly unknown[]) {
  const [verifiers, consumers] = await Promise.all(
    ['WebProofVerifier', 'WebProofConsumer'].map((name) => compileSolidity(new URL(`${name}.sol`, CONTRACTS).pathname)),
  );
  const verifier = await chain.deploy(required(verifiers?.WebProofVerifier));
  const contract = required(consumers?.WebProofConsumer);
  const args = [verifier.address, ...pins, MAX_AGE_SECONDS];
  const { address } = await chain.deploy(contract, args);
  return { address, abi: contract.abi };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The compiler gave no such contract.');
  return value;
}

/** The journal with one of its strings replaced by another of the same length. */
function replaceText(journal: string, from: string, to: string): string {
  const hex = (text: string) => Buffer.from(text).toString('hex');
  return journal.replace(hex(from), hex(to));
}
