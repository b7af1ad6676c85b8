/**
 * `npm run matrix:provers`: the stock prover of TLSNotary, `tlsn-wasm` 0.1.0-alpha.12, notarises against our notary. Takes a minute of
 * processor time, so it is no part of the suite; the suite replays a recorded session.
 */
import assert from 'node:assert/strict';
import { NOTARY_TOKEN, setUpBlindNotary } from '../support/blind-notary.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { notarizeWithStockProver } from '../support/stock-prover/index.ts';
import { workInTemporaryFolder } from '../support/temporary-folder.ts';
import { createAuthority, jsonAnswer, ORIGIN_NAME, startOrigin } from '../support/tls-origin.ts';
import { realEngines, realStockVerifier } from '../support/tlsn-engine.ts';
import { createOracle } from '../support/tlsn-oracle.ts';

const HIDDEN = ['987654321012', 'k3y-of-mine', 'Bearer s3cret-t0ken'];
const [balance = '', key = '', authorization = ''] = HIDDEN;

workInTemporaryFolder();
const authority = createAuthority(issueOracleRoot());
await using origin = await startOrigin(authority, { answer: jsonAnswer({ balance: Number(balance), verified: true }) });
await using notary = await setUpBlindNotary(authority, {
  ...realEngines(authority.root),
  stockVerifier: realStockVerifier(authority.root),
});
const answer = await notarizeWithStockProver(
  {
    notaryUrl: new URL(notary.url).origin,
    token: NOTARY_TOKEN,
    serverName: ORIGIN_NAME,
    limits: { maxSentData: 256, maxRecvData: 256 },
    target: `/me?key=${key}`,
    headers: { host: ORIGIN_NAME, connection: 'close', authorization },
    hidden: HIDDEN,
    root: { der: authority.root.der, subject: authority.root.subject },
  },
  origin.port,
);
if ('error' in answer) throw new Error(answer.error);
const { presentation, phases } = answer;
const seconds = Object.entries(phases).map(([phase, time]) => `${phase} ${time.toFixed(1)} s`);
console.log(`notarized: ${seconds.join(', ')}; a presentation of ${presentation.length} bytes`);

const official = await createOracle(authority.root)(presentation);
assert(official.accepted && official.output.server_name === ORIGIN_NAME, 'the official verifier accepts it');
const verified = await notary.verify({
  data: Buffer.from(presentation).toString('hex'),
  version: '0.1.0-alpha.12',
  meta: { notaryUrl: notary.url },
});
assert.equal(verified.serverDomain, ORIGIN_NAME);
assert.equal(verified.notaryTrusted, true);
assert.equal(verified.notarization, null);
assert.equal(verified.response.text, `{"balance":${'X'.repeat(balance.length)},"verified":true}`);
for (const secret of HIDDEN) assert(!Buffer.from(presentation).includes(secret), 'what is hidden is not in it');
console.log('The official verifier and ours accept it.');
process.exit(0);
