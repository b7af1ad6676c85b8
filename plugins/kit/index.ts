/**
 * What plugins of Credence import of it. Not stable: a release may change any name here, so a plugin names the exact version
 * of `credence` as its peer.
 */

export { FairQueue } from '../../adapters/fair-queue/index.ts';
export { httpNotaryOptions } from '../../adapters/http-notary/options.ts';
export { fileBeside, scriptBeside } from '../../adapters/package-loader/index.ts';
export { createRegistry } from '../../adapters/telemetry/prometheus.ts';
export type { Caller } from '../../core/access/token.ts';
export { ConfigurationError, checkOptions } from '../../core/configuration-error.ts';
export { DomainError, type ErrorCode, isDomainError } from '../../core/errors.ts';
export { type Late, late } from '../../core/late.ts';
export { LONGEST_TIMER_MS } from '../../core/long-timer.ts';
export { plainIssues } from '../../core/plain-issue.ts';
export type { PlatformName } from '../../core/platforms/platform-name.ts';
export { createPlatformRegistry } from '../../core/platforms/registry.ts';
export type { NotaryAdapter, ZkProverAdapter } from '../../core/ports/adapter-values.ts';
export { type Clock, systemClock } from '../../core/ports/clock.ts';
export { silentLogger } from '../../core/ports/logger.ts';
export type { SecretBox } from '../../core/ports/secret-box.ts';
export type { ProofStatement, ZkProver } from '../../core/ports/zk-prover.ts';
export { printable } from '../../core/printable.ts';
export { untilAborted } from '../../core/until-aborted.ts';
export { NOTARY_PATH } from '../../core/web-proof/notary-label.ts';
export { LIMITS } from '../../core/web-proof/tlsnotary/limits.ts';
export { FORMAT_VERSION } from '../../core/web-proof/tlsnotary/presentation.ts';
export type { ResolvedConfig } from '../compose/config.ts';
export { ContainerModule } from '../compose/container.ts';
export type { Credence } from '../compose/index.ts';
export type { AttachOptions, CredencePlugin } from '../compose/plugin.ts';
export { partOf, provide, token } from '../compose/token.ts';
export { named, PARTS, TOKENS } from '../compose/tokens.ts';
export { packageVersion } from '../compose/version.ts';
export { type Authenticate, bearerIn, callerKey, type Identify, identifiedBy } from '../http/access.ts';
export type { Dispatcher } from '../http/dispatcher.ts';
export { enveloped, envelopeOf } from '../http/envelope.ts';
export { asDomainError, errorReply } from '../http/error-reply.ts';
export { takeRequest } from '../http/limits.ts';
export type { HttpRequest } from '../http/message.ts';
export { mountPath } from '../http/mount-path.ts';
export type { Mountable } from '../http/mountable.ts';
export { html, joined, pageReply, stylesheet, wholeDocument, wholePage } from '../http/pages/html.ts';
export { LOGO_URL } from '../http/pages/logo.ts';
export { fileRoute, type StaticFile, staticFile } from '../http/pages/static-file.ts';
export { canAnswer, endWith, type HandedOver } from '../http/protocol-errors.ts';
export { headerOf, isOfOtherOrigin, requestIdOf } from '../http/request-headers.ts';
export { logRequest } from '../http/request-log.ts';
export { definePage, defineRoute, PAGES, type Reply, type Route, reply } from '../http/route.ts';
export { timestamp } from '../http/schemas.ts';
