/** An Express application around one Credence instance, answering as the standalone host does. */
import { createServer, type Server } from 'node:http';
import express from 'express';
import { credenceExpress } from '../../plugins/express/index.ts';
import { type ConnectionGuardOptions, guardConnections } from '../../plugins/http/connection-guard.ts';
import { hostRefusal } from '../../plugins/http/host-header.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { createNotFound, dialectOfPath } from '../../plugins/http/not-found.ts';
import {
  answerExpectations,
  clientErrorListener,
  SERVER_OPTIONS,
  SERVER_TIMES,
} from '../../plugins/http/protocol-errors.ts';

/** Builds the application and its server; the caller listens and closes. */
export function createExpressServer(credence: Mountable, guard?: ConnectionGuardOptions): Server {
  const app = express();
  app.disable('x-powered-by');
  app.use(credenceExpress(credence));
  const notFound = createNotFound(credence.routes);
  // Express passes on requests that match no route.
  app.use((request, response) => {
    const { method, path } = request;
    const error = hostRefusal(request) ?? notFound(method, path);
    const refusal = credence.dispatcher.refuse(error, request, dialectOfPath(path));
    response.status(refusal.status).set(refusal.headers).end(refusal.body);
  });
  const server = createServer({ ...SERVER_OPTIONS, ...SERVER_TIMES }, app);
  server.on('clientError', clientErrorListener(credence.dispatcher));
  answerExpectations(server, credence.dispatcher);
  guardConnections(server, guard);
  return server;
}
