/**
 * The smallest whole Express host: `node hosts/express-example/main.ts`. `PORT`, `STORAGE_URL` and `ADMIN_TOKEN` are read
 * from the environment; the standalone host has all the settings.
 */
import type { AddressInfo } from 'node:net';
import { createCredence } from '../../plugins/compose/index.ts';
import { createExpressServer } from './app.ts';

const { PORT = '3000', STORAGE_URL = 'sqlite:./data/credence.db', ADMIN_TOKEN } = process.env;

const credence = createCredence({ storage: { url: STORAGE_URL }, adminToken: ADMIN_TOKEN });
const { generatedAdminToken } = await credence.start();
if (generatedAdminToken !== undefined) console.log(`admin token, shown only now: ${generatedAdminToken}`);

const server = createExpressServer(credence).listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close(() => void credence.stop().then(() => process.exit(0)));
    // Connections that fall idle after their last answer would keep the server open.
    setInterval(() => server.closeIdleConnections(), 100);
  });
}
