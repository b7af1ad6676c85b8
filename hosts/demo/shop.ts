/** A stranger's HTTPS API on loopback: what the demo makes web proofs of. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificates } from './certificates.ts';

export interface Shop {
  /** `https://localhost:PORT`. */
  readonly url: string;
  readonly rootPem: string;
  close(): Promise<void>;
}

export const SECRET_EMAIL = 'ada.lovelace@example.org';
export const API_KEY = 'shop-key-51f0c7a2';

export async function startShop(): Promise<Shop> {
  const { rootPem, certificatePem, keyPem } = await makeCertificates('localhost');
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    if (request.headers['x-api-key'] !== API_KEY) return response.writeHead(401).end();
    response.setHeader('content-type', 'application/json');
    return response.end(
      JSON.stringify({
        order: { id: 'A-1842', total: 129, paid: true },
        customer: { email: SECRET_EMAIL, tier: 'gold' },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    rootPem,
    close: () => server[Symbol.asyncDispose](),
  };
}
