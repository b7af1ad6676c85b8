/** An Express application around one Credence instance, answering as the standalone host does. */
import express, { type Express } from 'express';
import { credenceExpress } from '../../plugins/express/index.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { createNotFound, dialectOfPath } from '../../plugins/http/not-found.ts';

/** Builds the application; the caller listens and closes. */
export function createExpressApp(credence: Mountable): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(credenceExpress(credence));
  const notFound = createNotFound(credence.routes);
  // Express sends what no route takes on to here.
  app.use((request, response) => {
    const { method, path } = request;
    const refusal = credence.dispatcher.refuse(notFound(method, path), request, dialectOfPath(path));
    response.status(refusal.status).set(refusal.headers).end(refusal.body);
  });
  return app;
}
