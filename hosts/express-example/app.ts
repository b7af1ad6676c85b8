/** An Express application around one Credence instance, answering as the standalone host does. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import express from 'express';
import { credenceExpress } from '../../plugins/express/index.ts';
import { type ConnectionGuardOptions, guardConnections } from '../../plugins/http/connection-guard.ts';
import { hostRefusal } from '../../plugins/http/host-header.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { createNotFound, dialectOfPath, pathOfTarget } from '../../plugins/http/not-found.ts';
import {
  answerExpectations,
  clientErrorListener,
  refuseTunnels,
  SERVER_OPTIONS,
  SERVER_TIMES,
} from '../../plugins/http/protocol-errors.ts';

/** Builds the application and its server; the caller listens and closes. */
export function createExpressServer(credence: Mountable, guard?: ConnectionGuardOptions): Server {
  const app = express();
  app.disable('x-powered-by');
  app.use(credenceExpress(credence));
  const notFound = createNotFound(credence.routes);
  const missing = (request: IncomingMessage) =>
    hostRefusal(request) ?? notFound(request.method ?? '', pathOfTarget(request.url ?? ''));
  // Express passes on requests that match no route.
  app.use((request, response) => {
    const refusal = credence.dispatcher.refuse(missing(request), request, dialectOfPath(request.path));
    response.status(refusal.status).set(refusal.headers).end(refusal.body);
  });
  const server = createServer({ ...SERVER_OPTIONS, ...SERVER_TIMES }, app);
  server.on('clientError', clientErrorListener(credence.dispatcher));
  answerExpectations(server, credence.dispatcher);
  refuseTunnels(server, credence.dispatcher, missing);
  guardConnections(server, guard);
  return server;
}
