/** An Express application around one Credence instance, answering as the standalone host does. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import express from 'express';
import { credenceExpress } from '../../plugins/express/index.ts';
import { ClientConnection, type Mountable } from '../../plugins/http/mountable.ts';
import { createNotFound, dialectOfPath, pathOfTarget } from '../../plugins/http/not-found.ts';
import {
  answerExpectations,
  clientErrorListener,
  refuseTunnels,
  SERVER_OPTIONS,
} from '../../plugins/http/protocol-errors.ts';
import { hostRefusal } from '../../plugins/http/request-headers.ts';
import { limitServer } from '../../plugins/http/server-limits.ts';

/** Builds the application and its server; the caller listens and closes. */
export function createExpressServer(credence: Mountable): Server {
  const app = express();
  app.disable('x-powered-by');
  app.use(credenceExpress(credence));
  const notFound = createNotFound(credence.routes);
  const missing = (request: IncomingMessage) =>
    hostRefusal(request) ?? notFound(request.method ?? '', pathOfTarget(request.url ?? ''));
  // Express passes on requests that match no route.
  app.use((request, response) => {
    const refusal = credence.dispatcher.refuse(missing(request), request, dialectOfPath(request.path));
    new ClientConnection(response).carry(refusal);
    response.status(refusal.status).set(refusal.headers).end(refusal.body);
  });
  const server = createServer(SERVER_OPTIONS, app);
  server.on('clientError', clientErrorListener(credence.dispatcher));
  answerExpectations(server, credence.dispatcher);
  refuseTunnels(server, credence.dispatcher, missing);
  return limitServer(server);
}
