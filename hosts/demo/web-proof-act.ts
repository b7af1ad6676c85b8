/** The second half of Credence: a web proof of a stranger's API, with secrets hidden, verified by its receiver. */
import { CredenceApiError, type WebProof } from '@credence/client';
import { API_KEY, SECRET_EMAIL } from './shop.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

/** Proves an order at the shop; the API key and the customer's address stay hidden. */
export async function playWebProof(stage: Stage, story: Story): Promise<WebProof> {
  story.act('A web proof: what a shop’s API said, with secrets hidden');
  const proof = await story.step(
    'prove GET /orders/A-1842',
    () =>
      stage.client.proofs.prove({
        url: `${stage.shop.url}/orders/A-1842`,
        headers: [`x-api-key: ${API_KEY}`],
        redaction: [{ request: { headers: ['x-api-key'] }, response: { json_body: ['customer.email'] } }],
      }),
    ({ data }) => `${data.length / 2} bytes`,
  );
  const verified = await story.step(
    'verify it',
    () => stage.client.proofs.verify(proof),
    ({ serverDomain, response }) => `${serverDomain} answered ${response.status}`,
  );
  const body = verified.response.body ?? '';
  story.expect('the order is readable', body.includes('"total":129') && body.includes('"paid":true'), body);
  story.expect(
    'the API key and the customer’s address are not in the proof, only their lengths',
    [API_KEY, SECRET_EMAIL].every((secret) => !proof.data.includes(Buffer.from(secret).toString('hex'))) &&
      body.includes(`"email":"${'X'.repeat(SECRET_EMAIL.length)}"`) &&
      verified.request.headers.includes(`x-api-key: ${'X'.repeat(API_KEY.length)}`),
    body,
  );
  story.expect('its notary is a trusted one', verified.notaryTrusted);
  const forged = { ...proof, data: flipOneBit(proof.data) };
  const refusal = await stage.client.proofs.verify(forged).catch((error: unknown) => error);
  const refused = refusal instanceof CredenceApiError;
  story.expect('the same proof with one bit changed is refused', refused, String(refusal));
  return proof;
}

function flipOneBit(hex: string): string {
  const at = Math.floor(hex.length / 2);
  return hex.slice(0, at) + (Number.parseInt(hex[at] as string, 16) ^ 1).toString(16) + hex.slice(at + 1);
}
