import { expect, it } from 'vitest';
import { createTlsProbe } from '../../../../adapters/local-notary/index.ts';
import { createX509CertificateChecker } from '../../../../adapters/x509/index.ts';
import { systemClock } from '../../../../core/ports/clock.ts';
import { issueIntermediate } from '../../../support/test-ca.ts';
import { createAuthority, ORIGIN_NAME, startOrigin } from '../../../support/tls-origin.ts';

const authority = createAuthority();
const probe = createTlsProbe({
  certificates: createX509CertificateChecker({ extraRoots: [authority.root.pem], nodeRoots: false }),
  extraRoots: [authority.root.pem],
  clock: systemClock,
});

it('refuses a server that sends more certificates than a proof holds, before it looks at them', async () => {
  // Of one name and many keys: each could have issued each other.
  const others = Array.from({ length: 21 }, () => issueIntermediate(authority.intermediate).pem);
  await using origin = await startOrigin(authority, { chain: [authority.intermediate.pem, ...others] });
  await using enough = await startOrigin(authority, { chain: [authority.intermediate.pem, ...others.slice(0, 6)] });
  const probed = ({ port }: { readonly port: number }) =>
    probe(
      { serverName: ORIGIN_NAME, port, addresses: [{ address: '127.0.0.1', family: 4 }] },
      new AbortController().signal,
    );
  await expect(probed(origin)).rejects.toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
    message: `${ORIGIN_NAME} cannot be proven: the server sends 23 certificates, but a proof holds at most 8: shorten its chain.`,
  });
  await expect(probed(enough)).resolves.toBeUndefined();
});
