/** Next.js (app router) with Credence below `/engagement`. */
import { createCredence } from 'credence';
import { credenceFetch, type FetchHandler } from 'credence/fetch';

const { ADMIN_TOKEN, STORAGE_URL = 'sqlite:./data/credence.db' } = process.env;

// One instance for each process, also if Next.js loads this module again.
const shared = globalThis as { engagement?: Promise<FetchHandler> };

async function start(): Promise<FetchHandler> {
  const credence = createCredence({ storage: { url: STORAGE_URL }, adminToken: ADMIN_TOKEN });
  const { generatedAdminToken } = await credence.start();
  if (generatedAdminToken) console.log(`admin token, shown only now: ${generatedAdminToken}`);
  return credenceFetch(credence, { basePath: '/engagement' });
}

async function handle(request: Request): Promise<Response> {
  shared.engagement ??= start();
  return (await shared.engagement)(request);
}

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST };
