/** `npm run matrix:servers`: which real servers can be proven, as a table. Servers that are not installed are left out. */
import { isInstalled, OFFERS, REAL_SERVERS } from './real-servers.ts';
import { KEYS, type Outcome, tryServer } from './server-matrix.ts';

const describe = (outcome: Outcome): string => ('status' in outcome ? `proven (${outcome.status})` : outcome.refused);

for (const server of REAL_SERVERS) {
  if (!isInstalled(server)) {
    console.log(`SKIPPED ${server.name}: install Debian's package ${server.package}`);
    continue;
  }
  for (const key of KEYS)
    console.log(`${server.name.padEnd(18)} ${key.padEnd(14)} ${describe(await tryServer(server, key))}`);
  for (const offer of OFFERS.slice(1)) {
    console.log(`${server.name.padEnd(18)} ${offer.padEnd(14)} ${describe(await tryServer(server, 'p256', offer))}`);
  }
}
