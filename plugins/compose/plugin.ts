/** Optional parts as values of the configuration. */
import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Identify } from '../http/access.ts';
import type { ContainerModule } from './container.ts';

/** An optional part of an instance: `createCredence({ plugins: [credenceConsole()] })`. */
export interface CredencePlugin {
  /** Names the part in messages. An instance has at most one of each name. */
  readonly name: string;
  /** Loaded after those of Credence and before `CredenceOptions.modules`. They add routes, jobs and the like to `TOKENS`. */
  readonly modules: readonly ContainerModule[];
}

/** What `Credence.attach` takes. */
export interface AttachOptions {
  /**
   * The path below which the instance is mounted on this server.
   * @default ''
   */
  readonly prefix?: string | undefined;
  /**
   * As `identify` of `createCredence`, for callers who open WebSockets without a token of Credence. It gets the `IncomingMessage` of
   * Node.js and must return the caller. The bearer token decides if it is absent. What it throws is answered with 500 and logged.
   */
  readonly identify?: Identify | undefined;
}

/** Listens to a server for what is no request of a route, for example WebSockets. Called by `Credence.attach`. */
export type AttachToServer = (server: Server | HttpsServer, options?: AttachOptions) => void;
