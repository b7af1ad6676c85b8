/** NestJS on Express. */
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { credenceExpress } from 'credence/express';
import type { NextFunction, Request, Response } from 'express';
import { AppModule, CredenceService } from './nest.js';
import { listening, userOf, type WithUser } from './team.js';

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
app.use((request: Request & WithUser, response: Response, next: NextFunction) => {
  const user = userOf(request.headers.cookie);
  if (user === undefined) return response.status(401).json({ team: 'sign in first' });
  request.user = user;
  next();
});
// Before `listen`: Nest puts its body parser behind what is mounted here.
app.use('/engagement', credenceExpress(app.get(CredenceService).credence));
await app.listen(0, '127.0.0.1');
listening((app.getHttpServer().address() as AddressInfo).port);
