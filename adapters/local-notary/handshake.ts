import type { CertificateOpening } from '../../core/web-proof/tlsnotary/presentation.ts';
import { schemeOfTlsNumber } from '../../core/web-proof/tlsnotary/signature-schemes.ts';

/** Why a handshake cannot be expressed in a presentation; reads on from "The server … ". */
export class HandshakeUnusable extends Error {
  override readonly name = 'HandshakeUnusable';
}

const RECORD = { changeCipherSpec: 20, alert: 21, handshake: 22 } as const;
const RECORD_HEADER = 5;
const MESSAGE = {
  clientHello: 1,
  serverHello: 2,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
} as const;
const MESSAGE_HEADER = 4;
const NAMED_CURVE = 3;
const SECP256R1 = 0x0017;
const POINT_LENGTH = 65;
const RANDOM = { start: 2, end: 34 } as const;

/**
 * Reads back, from the bytes of both directions of a TLS 1.2 connection, what the server has signed: randoms, certificates,
 * its key share on P-256 and the signature over them (RFC 5246 section 7.4, RFC 8422 section 5.4).
 * @throws HandshakeUnusable when the handshake was resumed, used another group, or a signature scheme without a number in
 * the format.
 */
export function readHandshake(client: Buffer, server: Buffer): Omit<CertificateOpening, 'blinder'> {
  const clientMessages = handshakeMessages(client);
  const serverMessages = handshakeMessages(server);
  const keyExchange = readKeyExchange(find(serverMessages, MESSAGE.serverKeyExchange));
  return {
    ...keyExchange,
    clientRandom: copy(find(clientMessages, MESSAGE.clientHello).subarray(RANDOM.start, RANDOM.end)),
    serverRandom: copy(find(serverMessages, MESSAGE.serverHello).subarray(RANDOM.start, RANDOM.end)),
    certificates: readCertificates(find(serverMessages, MESSAGE.certificate)),
  };
}

/** True when the server asked for a client certificate, whether the handshake was finished or not. */
export function asksForClientCertificate(server: Buffer): boolean {
  return handshakeMessages(server).some(({ type }) => type === MESSAGE.certificateRequest);
}

interface Message {
  readonly type: number;
  readonly body: Buffer;
}

/** The handshake messages before ChangeCipherSpec: a message may span records, and a record may hold several. */
function handshakeMessages(bytes: Buffer): Message[] {
  const parts: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER <= bytes.length; ) {
    const type = bytes[at];
    const end = at + RECORD_HEADER + bytes.readUInt16BE(at + 3);
    if (type === RECORD.changeCipherSpec || end > bytes.length) break;
    if (type === RECORD.handshake) parts.push(bytes.subarray(at + RECORD_HEADER, end));
    at = end;
  }
  const joined = Buffer.concat(parts);
  const messages: Message[] = [];
  for (let at = 0; at + MESSAGE_HEADER <= joined.length; ) {
    const end = at + MESSAGE_HEADER + joined.readUIntBE(at + 1, 3);
    if (end > joined.length) break;
    messages.push({ type: joined[at] ?? 0, body: joined.subarray(at + MESSAGE_HEADER, end) });
    at = end;
  }
  return messages;
}

function find(messages: readonly Message[], type: number): Buffer {
  const message = messages.find((candidate) => candidate.type === type);
  if (message === undefined) throw new HandshakeUnusable('did not make a full handshake with an ephemeral P-256 key');
  return message.body;
}

function readCertificates(body: Buffer): Uint8Array[] {
  const certificates: Uint8Array[] = [];
  for (let at = 3; at + 3 <= body.length; ) {
    const end = at + 3 + body.readUIntBE(at, 3);
    certificates.push(copy(body.subarray(at + 3, end)));
    at = end;
  }
  return certificates;
}

function readKeyExchange(body: Buffer) {
  const pointEnd = 4 + POINT_LENGTH;
  if (body[0] !== NAMED_CURVE || body.readUInt16BE(1) !== SECP256R1 || body[3] !== POINT_LENGTH) {
    throw new HandshakeUnusable('chose another group than P-256 for its ephemeral key');
  }
  const tlsNumber = body.readUInt16BE(pointEnd);
  const scheme = schemeOfTlsNumber(tlsNumber);
  if (scheme === undefined) {
    throw new HandshakeUnusable(`signs with scheme 0x${tlsNumber.toString(16)}, which this proof format does not know`);
  }
  const signatureStart = pointEnd + 4;
  return {
    serverEphemeralKey: copy(body.subarray(4, pointEnd)),
    scheme: scheme.variant,
    signature: copy(body.subarray(signatureStart, signatureStart + body.readUInt16BE(pointEnd + 2))),
  };
}

/** A copy of its own, so that nothing keeps the recorded connection alive. */
function copy(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes);
}

/** Follows the record boundaries of one direction to tell whether the last complete record was an alert. */
export class RecordTracker {
  #header = Buffer.alloc(RECORD_HEADER);
  #headerLength = 0;
  #bodyLeft = 0;
  #lastType = 0;

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, chunk.length - at);
        this.#bodyLeft -= taken;
        at += taken;
        continue;
      }
      const taken = Math.min(RECORD_HEADER - this.#headerLength, chunk.length - at);
      chunk.copy(this.#header, this.#headerLength, at, at + taken);
      this.#headerLength += taken;
      at += taken;
      if (this.#headerLength === RECORD_HEADER) {
        this.#lastType = this.#header[0] ?? 0;
        this.#bodyLeft = this.#header.readUInt16BE(3);
        this.#headerLength = 0;
      }
    }
  }

  /**
   * True when the direction ended on a whole alert record. TLS authenticates a record's type, so after an orderly end of
   * the stream that alert was the server's close_notify.
   */
  get endsWithAlert(): boolean {
    return this.#lastType === RECORD.alert && this.#bodyLeft === 0 && this.#headerLength === 0;
  }
}
