import { describe, expect, it } from 'vitest';
import { ANSWER, isInstalled, REAL_SERVERS, type RealServer } from './real-servers.ts';
import { KEYS, tryServer } from './server-matrix.ts';

/** Without the server its tests are skipped with a warning; with `CREDENCE_REQUIRE_SERVERS=1` they fail. */
function describeServer(server: RealServer, tests: () => void): void {
  if (isInstalled(server)) {
    describe(server.name, tests);
  } else if (process.env.CREDENCE_REQUIRE_SERVERS === '1') {
    it(`${server.name}: needs Debian's package ${server.package}`, () => {
      throw new Error(`${server.command} is not installed, and CREDENCE_REQUIRE_SERVERS=1 asks for it.`);
    });
  } else {
    console.warn(`SKIPPED, ${server.command} is not installed (apt-get install ${server.package}): ${server.name}`);
    describe.skip(server.name, tests);
  }
}

for (const server of REAL_SERVERS) {
  describeServer(server, () => {
    it.each(KEYS)('is proven with its usual settings and a key of kind %s', async (key) => {
      const outcome = await tryServer(server, key);
      expect(outcome).toMatchObject({ status: 200 });
      // gnutls-serv answers with a page about the connection.
      if (server.command !== 'gnutls-serv') expect(outcome).toMatchObject({ body: ANSWER });
    });

    it.each([
      ['ChaCha20 only', /offers no ECDHE cipher suite with AES-GCM, but such as TLS_ECDHE_ECDSA_WITH_CHACHA20/],
      ['CBC only', /offers no ECDHE cipher suite with AES-GCM, but such as TLS_ECDHE_ECDSA_WITH_AES_128_CBC/],
      ['TLS 1.3 only', /the server offers no TLS 1\.2; /],
    ] as const)('is refused with the right reason when it offers %s', async (offer, reason) => {
      expect(await tryServer(server, 'p256', offer)).toEqual({ refused: expect.stringMatching(reason) });
    });
  });
}
