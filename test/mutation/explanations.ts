/** Mutants that survive, read one by one: why no test has to notice them. */
import type { Explanation } from './evaluate.ts';

/** core/engagement/webhooks, core/engagement/webhooks/outbox-relay.ts */
const WEBHOOKS: readonly Explanation[] = [
  {
    file: 'core/engagement/webhooks/deliver-webhook.ts',
    line: 'delivery.nextTryAt !== null && delivery.nextTryAt > now',
    replacement: 'true',
    why: 'for the type checker: null is not later than any time',
  },
  {
    file: 'core/engagement/webhooks/delivery-tries.ts',
    line: /outcome\.kind === 'answered' && outcome\.status|retryAfter: outcome\.kind === 'answered'/,
    mutator: 'ConditionalExpression',
    replacement: 'true',
    why: 'for the type checker: an outcome without an answer has no status and no Retry-After either',
  },
  {
    file: 'core/engagement/webhooks/delivery-tries.ts',
    line: "reason: 'protocol'",
    mutator: 'StringLiteral',
    why: 'for the type checker: the reason of a failure is read from outcomes of the transport only, for its figures',
  },
  {
    file: 'core/engagement/webhooks/signature.ts',
    line: 'timestamp === undefined',
    replacement: 'false',
    why: 'for the type checker: the pattern does not fit "undefined" either',
  },
  {
    file: 'core/engagement/webhooks/outbox-relay.ts',
    line: /underWay\.delete\(work\)|work\.then\(forget, forget\)/,
    why: 'forgets work that has ended, for the memory; waiting for it as well ends at once',
  },
];

/** core/engagement/attempts */
const ATTEMPTS: readonly Explanation[] = [
  {
    file: 'core/engagement/attempts/match-news.ts',
    line: 'if (current === null) return false',
    mutator: 'BooleanLiteral',
    why: 'only the outcome of the first save is looked at, and nobody has overtaken that one before it',
  },
  {
    file: 'core/engagement/attempts/verify-and-reward.ts',
    line: "result.kind === 'created' ? (outboxes.get(",
    why: 'an attempt that was there before has an id for which no outbox was made, and one that was created has one',
  },
];

/** core/engagement/challenge-data */
const SWEEPS: readonly Explanation[] = [
  {
    file: 'core/engagement/challenge-data/page-reader.ts',
    line: 'if (cursor !== null) circles.isNewCursor(cursor)',
    replacement: 'true',
    why: 'for the type checker: nothing compares a cursor to null',
  },
  {
    file: 'core/engagement/challenge-data/pages.ts',
    line: 'if (parentId !== null) inline.set(',
    replacement: 'true',
    why: 'for the type checker: nothing asks for the replies to no comment',
  },
  {
    file: 'core/engagement/challenge-data/patience.ts',
    line: 'limit.reject(signal?.reason)',
    mutator: 'OptionalChaining',
    why: 'for the type checker: only a signal calls it',
  },
];

/** core/web-proof/redaction, core/web-proof/http, core/web-proof/extraction */
const TRANSCRIPTS: readonly Explanation[] = [
  {
    file: 'core/web-proof/redaction/echo.ts',
    line: 'end <= view.length',
    replacement: 'end < view.length',
    why: 'a text to look for is longer than its prefix, so none ends with the view',
  },
  {
    file: 'core/web-proof/redaction/json-path.ts',
    line: 'if (segment === undefined) return [];',
    why: 'for the type checker: a path that is at its end covers what is below, so it is asked no further',
  },
  {
    file: 'core/web-proof/redaction/hidden-values.ts',
    line: 'if (!(error instanceof JsonUnreadable)) throw error;',
    replacement: 'false',
    why: 'nothing else is thrown there; a defect must not pass for a body that cannot be read',
  },
  {
    file: 'core/web-proof/extraction/extract-values.ts',
    line: 'if (error instanceof UnreadableJsonError)',
    replacement: 'true',
    why: 'nothing else is thrown there; a defect must not pass for a body that cannot be read',
  },
  {
    file: 'core/web-proof/http/body.ts',
    line: "if (declared === undefined) return { kind: 'none' };",
    mutator: 'ObjectLiteral',
    why: 'readers ask for the two other kinds only',
  },
  {
    file: 'core/web-proof/http/body.ts',
    line: "if (declared === undefined) return { kind: 'none' };",
    mutator: 'StringLiteral',
    why: 'readers ask for the two other kinds only',
  },
  {
    file: 'core/web-proof/http/body.ts',
    line: 'const hidden: ByteRange[] = [];',
    why: 'what is no range is dropped by the union',
  },
  {
    file: 'core/web-proof/http/body.ts',
    line: /while \(\(visible\.hidden\[(?:first|last)Hidden\]|visible\.hidden\.slice\(/,
    why: 'for the speed: ranges outside of the segment are clipped away in any case',
  },
  {
    file: 'core/web-proof/http/header-lines.ts',
    line: 'at < bytes.length',
    replacement: 'at <= bytes.length',
    why: 'behind the last byte is neither CR nor LF',
  },
  {
    file: 'core/web-proof/http/header-lines.ts',
    line: 'while (valueStart < valueEnd && isBlank(bytes[valueStart]))',
    replacement: /^(?:true|valueStart <= valueEnd)$/,
    why: 'the CR behind the line is no blank',
  },
  {
    file: 'core/web-proof/http/parse-request.ts',
    line: 'afterMethod === -1',
    replacement: /^(?:false|\+1)$/,
    why: 'a line without a space is no version either, which is looked at next',
  },
  {
    file: 'core/web-proof/http/parse-response.ts',
    line: 'const [, version, status] = match ?? [];',
    mutator: 'ArrayDeclaration',
    why: 'the first element is not read',
  },
  {
    file: 'core/web-proof/http/parse-response.ts',
    line: 'version === undefined || status === undefined',
    replacement: /^(?:false|version === undefined && status === undefined)$/,
    why: 'for the type checker: the pattern gives both or neither',
  },
  {
    file: 'core/web-proof/http/parse-response.ts',
    line: "requestMethod === 'CONNECT' && status >= 200",
    replacement: 'true',
    why: 'what is below 200 here is 101, which has no body anyway',
  },
  {
    file: 'core/web-proof/http/parse-request.ts',
    line: 'anyHidden(visible, beforeVersion, line.next)',
    why: 'a second guard: a hidden byte is an X, which the pattern of the version refuses',
  },
  {
    file: 'core/web-proof/http/parse-response.ts',
    line: 'anyHidden(visible, start, start + FIXED_LENGTH)',
    replacement: /^(?:false|anyHidden|start - FIXED_LENGTH)/,
    why: 'a second guard: a hidden byte is an X, which the pattern of the status line refuses',
  },
];

/** core/web-proof/notarize, core/web-proof/tlsnotary, core/web-proof/attested-values */
const ATTESTATIONS: readonly Explanation[] = [
  {
    file: 'core/web-proof/notarize/request-message.ts',
    line: 'parseHeaderLine(line) ?? []',
    mutator: 'ArrayDeclaration',
    why: 'for the type checker: the schema lets no other line through',
  },
  {
    file: 'core/web-proof/notarize/response-end.ts',
    line: "case 'until-close':",
    mutator: 'ConditionalExpression',
    why: 'for the type checker: without a length, none is reached either',
  },
  {
    file: 'core/web-proof/notarize/response-end.ts',
    line: /const \[, version = '', digits\]|\?\? \[\];/,
    why: 'for the type checker: what is no status line has neither version nor status, whatever stands for them',
  },
  {
    file: 'core/web-proof/tlsnotary/attestation-signer.ts',
    line: '{ lowS: true }',
    mutator: 'ObjectLiteral',
    why: 'the default of the library, said all the same because verifiers insist on it',
  },
  {
    file: 'core/web-proof/tlsnotary/byte-encoding.ts',
    line: /from < data\.length|i < data\.length|bit < 8|j < 16/,
    mutator: 'EqualityOperator',
    why: 'one step too far adds nothing: there is no byte, no bit and no delta there',
  },
  {
    file: 'core/web-proof/tlsnotary/decode.ts',
    line: "input.u8('signature algorithm')",
    mutator: 'StringLiteral',
    why: 'never said: a presentation without its first byte is empty, which is refused before',
  },
  {
    file: 'core/web-proof/tlsnotary/merkle.ts',
    line: /const root = merkleLevels|if \(root === undefined\)/,
    why: 'for the type checker: the levels of a tree end with its root',
  },
];

/** core/web-proof but redaction and http: what the types ask for, and guards that stand twice. */
const PROOFS: readonly Explanation[] = [
  {
    file: 'core/web-proof/extraction/read-json.ts',
    line: 'wanted: readonly string[] = []',
    why: 'what the mutant looks for is its own words, which no document is asked for',
  },
  {
    file: 'core/web-proof/verify.ts',
    line: "decodeContent(request, decoder, 'request')",
    mutator: 'StringLiteral',
    why: 'never said: a body of a request that cannot be decoded is null',
  },
  {
    line: /override readonly name = '(?:Attestation|UnreadableJson)Error'/,
    mutator: 'StringLiteral',
    why: 'the name of an error class is for stack traces; code tells them by the class',
  },
  {
    file: 'core/web-proof/attested-values/claim-tree.ts',
    line: '|| group === undefined ?',
    mutator: 'ConditionalExpression',
    replacement: 'false',
    why: 'for the type checker: the group of a leaf that was found is there',
  },
  {
    file: 'core/web-proof/extraction/journal-value.ts',
    line: `json.startsWith('"')`,
    mutator: 'MethodExpression',
    why: 'JSON text begins with a quote when it ends with one, and only then',
  },
  {
    file: 'core/web-proof/extraction/journal-value.ts',
    line: "typeof text !== 'string'",
    replacement: 'false',
    why: 'for the type checker: JSON text that begins with a quote is a string',
  },
  {
    file: 'core/web-proof/extraction/read-json.ts',
    line: 'hidden.length === 0 ? body : body.slice()',
    replacement: 'false',
    why: 'for the speed: a copy of a body without hidden bytes is read alike',
  },
  {
    file: 'core/web-proof/extraction/read-json.ts',
    line: "const [token = ''] = PLAIN.exec(this.#source) ?? [];",
    why: 'for the type checker: the pattern fits everywhere, if only the empty text',
  },
  {
    file: 'core/web-proof/prove-request.ts',
    line: 'HEADER.exec(line) ?? []',
    mutator: 'ArrayDeclaration',
    why: 'the first element is not read',
  },
  {
    file: 'core/web-proof/prove-request.ts',
    line: 'name === undefined || rest === undefined',
    replacement: /^(?:false|name === undefined && rest === undefined)$/,
    why: 'for the type checker: the pattern gives both or neither',
  },
  {
    file: 'core/web-proof/prove-request.ts',
    line: 'while (start < end && isBlank(',
    replacement: /^(?:true|start <= end)$/,
    why: 'no character outside of the text is blank, and of blanks only nothing is left in either case',
  },
  {
    file: 'core/web-proof/prove-request.ts',
    line: "code: 'custom'",
    mutator: 'StringLiteral',
    why: 'for the type checker: answers are made of path and message',
  },
  {
    file: 'core/web-proof/tlsnotary/merkle.ts',
    line: 'if (opened.size === 0) return null;',
    replacement: 'false',
    why: 'a second guard: no leaf leads to no node, and so to no root',
  },
  {
    file: 'core/web-proof/tlsnotary/merkle.ts',
    line: 'if (above.has(up)) continue;',
    replacement: 'false',
    why: 'for the speed: the right one of two known nodes gives the same parent again',
  },
  {
    file: 'core/web-proof/tlsnotary/struct-hash.ts',
    line: 'if (hash === undefined) throw new RangeError(',
    why: 'for the type checker: the algorithms of a presentation are checked before its structures are hashed',
  },
  {
    file: 'core/web-proof/tlsnotary/struct-hash.ts',
    line: "new Writer('bcs')",
    mutator: 'StringLiteral',
    why: 'the other side is whatever is not bincode',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-transcript.ts',
    line: '...(transcript.encodingProof?.openings ?? []), ...transcript.hashOpenings',
    mutator: 'ArrayDeclaration',
    why: 'what has no direction is filtered out',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-transcript.ts',
    line: 'for (let from = start; from < end;',
    replacement: 'from <= end',
    why: 'one more step, of no bytes, changes neither the hash nor the cost',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-transcript.ts',
    line: 'ranges.at(-1)?.end ?? 0',
    mutator: 'OptionalChaining',
    why: 'for the type checker: openings and commitments without a range are refused when they are decoded',
  },
  {
    file: 'core/web-proof/trusted-periods.ts',
    line: 'fingerprint.toLowerCase()) ?? [])',
    mutator: 'ArrayDeclaration',
    why: 'a window without bounds holds no time',
  },
  {
    file: 'core/web-proof/verify.ts',
    line: 'data.length > 2 * LIMITS.presentation',
    replacement: 'false',
    why: 'for the memory: the same is said of the bytes, once they are there',
  },
  {
    file: 'core/web-proof/journal/fake-seal.ts',
    line: /data\.forEach\(|view\.setUint32\(/,
    why: 'all words in these structures are zero, as the buffer is',
  },
  {
    file: 'core/web-proof/tlsnotary/ranges.ts',
    line: 'if (start >= total) break;',
    replacement: 'start > total',
    why: 'a range that begins at the end leaves the same gap before it',
  },
  {
    file: 'core/web-proof/tlsnotary/ranges.ts',
    line: /b\[i\]\?\.|ranges\[middle\]\?\./,
    mutator: 'OptionalChaining',
    why: 'for the type checker: the index is within bounds',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-attestation.ts',
    line: "'unknown hash algorithm'",
    why: 'for the type checker: the algorithm of the root was checked before',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-attestation.ts',
    line: '  } catch {',
    mutator: 'BlockStatement',
    why: 'for the reader: there is no point yet when the key cannot be read',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-attestation.ts',
    line: 'parsed.assertValidity();',
    mutator: 'CallExpression',
    why: 'a second guard: the library has checked the point when it read it',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-identity.ts',
    line: 'demand(scheme !== undefined,',
    why: 'for the type checker: an unknown scheme is refused when it is decoded',
  },
  {
    file: 'core/web-proof/tlsnotary/verify-identity.ts',
    line: "verdict.ok ? '' : verdict.reason",
    mutator: 'StringLiteral',
    why: 'for the type checker: nothing is said when all is well',
  },
];

/** core/web-proof/redaction, core/web-proof/http: shortcuts, and what the types cannot say. */
const SHORTCUTS: readonly Explanation[] = [
  {
    file: 'core/web-proof/http/header-lines.ts',
    line: 'if (!anyHidden(visible, start, end)) return',
    replacement: 'false',
    why: 'for the speed: byte by byte the same name comes out',
  },
  {
    file: 'core/web-proof/http/parse-response.ts',
    line: "framing.kind === 'length'",
    replacement: 'true',
    why: 'for the type checker: without a length, either reader takes what is left',
  },
  {
    file: 'core/web-proof/http/request-host.ts',
    line: "absolute?.[1]?.toLowerCase() !== 'https'",
    replacement: /^(?:false|absolute\?\.\[1\]\.toLowerCase)$/,
    why: 'for the type checker: a match has both groups',
  },
  {
    file: 'core/web-proof/redaction/header-values.ts',
    line: /(?:readLine|readHeaders|declaredFraming)\(/,
    mutator: 'StringLiteral',
    replacement: '""',
    why: 'never said: the response has been parsed from the same bytes, so nothing is refused here',
  },
  {
    file: 'core/web-proof/redaction/hidden-value.ts',
    line: 'const scheme = end === -1',
    replacement: /^(?:false|\+1|"Stryker was here!")$/,
    why: 'without a blank there is no token, so the scheme decides about empty texts, which are dropped',
  },
  {
    file: 'core/web-proof/redaction/json-path.ts',
    line: "reading === 'wide' && first?.kind",
    replacement: /^(?:true|first\.kind)$/,
    why: 'for the type checker: a path has a first segment, and only names have a name',
  },
  {
    file: 'core/web-proof/redaction/json-path.ts',
    line: /if \(known !== undefined\)|members\.set\(|if \(positions\.every\(|if \(positions\.length < 2\)/,
    replacement: /^(?:false|;|\(\) => undefined|positions\.length <= 2)$/,
    why: 'for the speed: derived again, with repetitions or not, it covers the same',
  },
  {
    file: 'core/web-proof/redaction/json-path.ts',
    line: /return segment\?\.kind === 'name'|if \(further\?\.kind !== 'name'\)/,
    mutator: 'OptionalChaining',
    why: 'for the type checker: the index is within the path',
  },
  {
    file: 'core/web-proof/redaction/json-path.ts',
    line: 'if (segment === undefined || segment.kind',
    mutator: 'ConditionalExpression',
    replacement: 'false',
    why: 'for the type checker: a path that is at its end covers what is below, so it is asked no further',
  },
  {
    file: 'core/web-proof/redaction/json-path.ts',
    line: 'next < path.length && name.startsWith(joined)',
    replacement: /^(?:true|.*(?:\|\||<=).*)$/,
    why: 'for the speed: behind its end a path has no name, and what is no beginning of the name never becomes the name',
  },
  {
    file: 'core/web-proof/redaction/json-values.ts',
    line: 'bytes[start - 1] === QUOTE && text.includes(',
    replacement: /^(?:true|""|.*\|\|.*)$/,
    why: 'for the speed: a text without a backslash stays as it is, and a literal has none',
  },
  {
    file: 'core/web-proof/redaction/hidden-values.ts',
    line: '{ ...value, tellTales: [] }',
    mutator: 'ArrayDeclaration',
    why: 'what the mutant looks for is its own words; that the value is not looked for is tested',
  },
  {
    file: 'core/web-proof/redaction/hidden-values.ts',
    line: 'while (first < segments.length',
    replacement: /^(?:false|true|first <?>?= segments\.length|endOf\(segments\[first\]\) < start)$/,
    why: 'for the speed: segments outside of the range are clipped away in any case',
  },
  {
    file: 'core/web-proof/redaction/hidden-values.ts',
    line: 'i < segments.length',
    replacement: 'i <= segments.length',
    why: 'for the speed: segments outside of the range are clipped away in any case',
  },
  {
    file: 'core/web-proof/redaction/hidden-values.ts',
    line: 'segment.bodyStart >= end',
    replacement: /^(?:false|segment === undefined && .*|segment\.bodyStart > end)$/,
    why: 'for the speed: segments outside of the range are clipped away in any case',
  },
  {
    file: 'core/web-proof/redaction/hidden-values.ts',
    line: /return segment === undefined \?|last === undefined \?/,
    mutator: 'ConditionalExpression',
    replacement: 'false',
    why: 'for the type checker: the index is within bounds',
  },
  {
    file: 'core/web-proof/redaction/query-values.ts',
    line: "query.text.includes(';')",
    mutator: 'StringLiteral',
    why: 'for the speed: without a semicolon both readings are the same',
  },
];

/** adapters/scraping */
const SCRAPING: readonly Explanation[] = [
  {
    file: 'adapters/scraping/bottleneck-pacer.ts',
    line: /sharedLimiter|\bshared [!=]== undefined|clustering|datastore:|timeout:|id: `|=== created|limiter\.ready/,
    why: 'tested with a Redis by test/unit/scraping/shared-pace.test.ts, which starts processes and is not run here',
  },
  {
    file: 'adapters/scraping/anonymous.ts',
    line: /'anonymous'|generation \+= 1/,
    why: 'one name is as good as another, if no other identity has it',
  },
  {
    file: 'adapters/scraping/circuit-breaker.ts',
    line: 'circuit.resources.size < RESOURCE_LIMIT',
    why: 'for the memory: with as many, every failure opens the circuit anyway',
  },
  {
    file: 'adapters/scraping/attempt.ts',
    line: "verdict.kind === 'blocked' && verdict.session",
    replacement: 'true',
    why: 'for the type checker: no other verdict names a session',
  },
  {
    file: 'adapters/scraping/rate-queue.ts',
    line: 'reject(time?.timeoutError())',
    mutator: 'OptionalChaining',
    why: 'for the type checker: nobody listens without the time of a call',
  },
  {
    file: 'adapters/scraping/rate-queue.ts',
    line: 'if (cause instanceof DomainError) return cause',
    replacement: 'false',
    why: 'the same refusal again, with the first one as its cause',
  },
  {
    file: 'adapters/scraping/browser.ts',
    line: /GREASE_MARKS\.length\] \?\? ' '|\] \?\? ORDERS\[0\]|const list: string\[\] = \[\]|entries\[index\] \?\? ''/,
    replacement: /^(?:""|\["Stryker was here"\]|"Stryker was here!")$/,
    why: 'for the type checker: every index is within its list, and every place of the list is written',
  },
  {
    file: 'adapters/scraping/json.ts',
    line: 'quoteLargeIntegers(text) : text',
    replacement: '/[:[,]\\s*\\d/',
    why: 'for the speed: short numbers are what they are either way',
  },
  {
    file: 'adapters/scraping/json.ts',
    line: '} catch {',
    mutator: 'BlockStatement',
    why: 'nothing is returned either way',
  },
  {
    file: 'adapters/scraping/json.ts',
    line: "typeof value !== 'object' || value === null || depth",
    replacement: 'false',
    why: 'a second guard: only the root can be no object, and other values than null have no objects in them',
  },
  {
    file: 'adapters/scraping/json.ts',
    line: /Number\.isSafeInteger\((?:value|number)\)/,
    mutator: 'ConditionalExpression',
    replacement: 'true',
    why: 'for the type checker: only a number is a safe integer',
  },
  {
    file: 'adapters/scraping/json.ts',
    line: /seconds !== null && seconds|text === null \|\| !URL/,
    replacement: /^(?:true|false)$/,
    why: 'for the type checker: null is before every year and no URL',
  },
  {
    file: 'adapters/scraping/json.ts',
    line: 'new URL(text).protocol',
    replacement: '/^https?:/',
    why: 'a protocol has one colon, at its end',
  },
  {
    file: 'adapters/scraping/turn-queue.ts',
    line: 'if (request === undefined ||',
    replacement: 'false',
    why: 'for the type checker: a caller is known only while one of its requests waits',
  },
  {
    file: 'adapters/scraping/rate-shares.ts',
    line: 'if (refills >= debt.amount)',
    replacement: 'refills > debt.amount',
    why: 'for the memory: a caller who owes nothing is as good as unknown',
  },
  {
    file: 'adapters/scraping/rate-shares.ts',
    line: /debts\.delete\(caller\)|for \(const other of debts\.keys\(\)\) debtOf\(other\);/,
    why: 'for the memory: a caller who owes nothing is as good as unknown',
  },
  {
    file: 'adapters/scraping/rate-shares.ts',
    line: 'if (caller === undefined) return',
    replacement: 'false',
    why: 'a second guard: without a caller nothing is counted, and nothing that is counted is asked for',
  },
];

/** adapters/instagram */
const INSTAGRAM: readonly Explanation[] = [
  {
    file: 'adapters/instagram/api-verdict.ts',
    line: "?? ''",
    replacement: '"Stryker was here!"',
    why: 'what the mutant looks for is its own words, which no list of messages holds',
  },
];

/** adapters/tiktok */
const TIKTOK: readonly Explanation[] = [
  {
    file: 'adapters/tiktok/short-link.ts',
    line: 'return readRefusal(response, clock) ??',
    why: 'for the type checker: every status from 400 on is a refusal',
  },
  {
    file: 'adapters/tiktok/post-url.ts',
    line: "const [first = '', second = '', third = '']",
    replacement: '"Stryker was here!"',
    why: 'for the type checker: a part that is missing is never looked at, because the parts are counted',
  },
  {
    file: 'adapters/tiktok/counts.ts',
    line: 'value < 0',
    replacement: 'value <= 0',
    why: 'zero is a count, which is told before',
  },
  {
    file: 'adapters/tiktok/answers.ts',
    line: "text.length < 4096 && text.startsWith('{')",
    replacement: /^(?:true|text\.length <= 4096|"")$/,
    why: 'for the speed: a long text is parsed by its reader, and what does not begin with a brace is no object',
  },
  {
    file: 'adapters/tiktok/answers.ts',
    line: '/^https?:$/.test(target.protocol)',
    replacement: '/^https?:/',
    why: 'a protocol has one colon, at its end',
  },
];

/** plugins/http, plugins/fetch */
const HTTP: readonly Explanation[] = [
  {
    file: 'plugins/http/dispatch/receive-body.ts',
    line: 'stranger.release();',
    mutator: 'CallExpression',
    why: 'a share that nobody reads by any more is the first to end when others need its room',
  },
  {
    file: 'plugins/http/dispatch/body-shares.ts',
    line: '  } finally {',
    mutator: 'BlockStatement',
    why: 'a share that nobody reads by any more is the first to end when others need its room',
  },
  {
    file: 'plugins/http/pipelining.ts',
    line: /parser\?\.onIncoming|!parser \|\| onIncoming === undefined/,
    why: 'for the type checker: a connection of Node has its parser before the server tells of it',
  },
  {
    file: 'plugins/http/body-budget.ts',
    line: 'if (more <= 0) return;',
    why: 'for the memory: nothing more is counted, so nothing need be noted',
  },
  {
    file: 'plugins/http/body-budget.ts',
    line: 'if (left > 0) held.set(',
    replacement: /^(?:true|left >= 0)$/,
    why: 'for the memory: a caller who holds nothing is as good as unknown',
  },
  {
    file: 'plugins/http/body-budget.ts',
    line: 'ending?.abort(',
    mutator: 'OptionalChaining',
    why: 'for the type checker: only a budget that ends its oldest share ends any',
  },
  {
    file: 'plugins/http/body.ts',
    line: 'chunks.length === 1 ?',
    replacement: 'false',
    why: 'for the speed: a copy of one piece is the same bytes',
  },
  {
    file: 'plugins/http/body.ts',
    line: 'bytes.length > MAX_JSON_VALUES &&',
    replacement: /^(?:true|.*>=.*|mediaType === 'json' \|\| .*)$/,
    why: 'for the speed: a body of fewer bytes holds no more values',
  },
  {
    file: 'plugins/http/body.ts',
    line: 'stream.destroy?.()',
    mutator: 'OptionalChaining',
    why: 'a second guard: an error of the stream ends the reading as well',
  },
  {
    file: 'plugins/http/body.ts',
    line: "(contentType ?? '').split(",
    replacement: /Stryker was here|\[0\]\.trim$/,
    why: 'for the type checker: a text has a first part, and what is no media type is refused whatever it is',
  },
  {
    file: 'plugins/http/match-route.ts',
    line: "b.segments[index] ?? ''",
    mutator: 'StringLiteral',
    why: 'for the type checker: rows of one key have as many segments',
  },
  {
    file: 'plugins/http/json-size.ts',
    line: '(quote - before) % 2',
    replacement: 'quote + before',
    why: 'sum and difference of two numbers are both even, or both odd',
  },
  {
    file: 'plugins/http/host-header.ts',
    line: 'name.length !== 4 ||',
    replacement: 'false',
    why: 'for the speed: only a name of four letters is `host`',
  },
  {
    file: 'plugins/http/host-header.ts',
    line: 'name.length === 13 &&',
    replacement: 'true',
    why: 'for the speed: only a name of thirteen letters is `authorization`',
  },
  {
    file: 'plugins/http/protocol-errors.ts',
    line: "method = ''",
    mutator: 'StringLiteral',
    why: 'for the type checker: a request that was parsed has a method',
  },
  {
    file: 'plugins/http/encode-reply.ts',
    line: /return \[\];|: \[\],/,
    mutator: 'ArrayDeclaration',
    why: 'the text of the mutant has no name and no value, and every reply has no value without a name',
  },
  {
    file: 'plugins/http/encode-reply.ts',
    line: /if \(convert === undefined\)|cache\.set\(schema, convert\)|options\.every\(\(\{ convert \}\)/,
    why: 'for the speed: made again, or without need, the function does the same',
  },
];

export const EXPLANATIONS: readonly Explanation[] = [
  ...WEBHOOKS,
  ...ATTEMPTS,
  ...SWEEPS,
  ...TRANSCRIPTS,
  ...SHORTCUTS,
  ...ATTESTATIONS,
  ...PROOFS,
  ...SCRAPING,
  ...INSTAGRAM,
  ...TIKTOK,
  ...HTTP,
];
