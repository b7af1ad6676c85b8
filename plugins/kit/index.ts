/**
 * What plugins of Credence import of it. Not stable: a release may change any name here, so a plugin names the exact version
 * of `credence` as its peer.
 */

export { ContainerModule } from 'inversify';
export { FairQueue } from '../../adapters/fair-queue/index.ts';
export { fileBeside, scriptBeside } from '../../adapters/package-loader/index.ts';
export { checkOptions } from '../../core/configuration-error.ts';
export { DomainError, type ErrorCode, isDomainError } from '../../core/errors.ts';
export { type Late, late } from '../../core/late.ts';
export { LONGEST_TIMER_MS } from '../../core/long-timer.ts';
export { plainIssues } from '../../core/plain-issue.ts';
export type { PlatformName } from '../../core/platforms/platform-name.ts';
export { createPlatformRegistry } from '../../core/platforms/registry.ts';
export type { ZkProverAdapter } from '../../core/ports/adapter-values.ts';
export type { ProofStatement, ZkProver } from '../../core/ports/zk-prover.ts';
export { printable } from '../../core/printable.ts';
export type { ResolvedConfig } from '../compose/config.ts';
export type { Credence } from '../compose/index.ts';
export type { Closeable, Periodic } from '../compose/lifecycle.ts';
export type { AttachOptions, AttachToServer, CredencePlugin } from '../compose/plugin.ts';
export { later, provide, provideLate, token } from '../compose/token.ts';
export { PARTS, TOKENS } from '../compose/tokens.ts';
export type { Mountable } from '../http/mountable.ts';
export { html, joined, stylesheet, wholeDocument, wholePage } from '../http/pages/html.ts';
export { type StaticFile, staticFile, staticFileReply } from '../http/pages/static-file.ts';
export { definePage, defineRoute, type Reply, type Route } from '../http/route.ts';
